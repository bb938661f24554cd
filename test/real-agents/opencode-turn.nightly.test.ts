import { keepsInterruptedTurns } from "./interrupted.contract.ts";
import { stages } from "./stages.ts";

keepsInterruptedTurns(stages.opencode);
