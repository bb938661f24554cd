import type { Stage } from "../../parts/stage.ts";
import type { Performed } from "../../parts/workflows.ts";

/** A run to keep the log of: a workflow in its world, and what people do with it. */
export interface Scenario extends Performed {
  act(it: Stage): Promise<unknown>;
}
