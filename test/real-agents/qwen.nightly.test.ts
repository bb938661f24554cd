import { keepsTheCliContract } from "./cli.contract.ts";
import { stages } from "./stages.ts";

keepsTheCliContract(stages.qwen);
