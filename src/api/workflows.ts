/**
 * Finding, reading and checking workflow files, and the agents they name.
 * @module
 */

export { agentNames } from "../agents/index.ts";
export { installAgent, isProgram, missingKeyOf } from "../agents/install.ts";
export { splitArguments } from "../agents/split-arguments.ts";
export { type Compiled, loadAndCompile } from "../compile/compile.ts";
export { inlineLoop } from "../compile/inline-loop.ts";
export { parseDuration } from "../expressions/duration.ts";
export { itemsIn, jsonOrText } from "../expressions/output-value.ts";
export {
  filesBeside,
  findWorkflow,
  listWorkflows,
  readSource,
  type SourceFile,
} from "../local/workflow-files.ts";
export { agentsOf } from "../plan/agents.ts";
export type { Diagnostic } from "../plan/diagnostic.ts";
export { fillInputs } from "../plan/inputs.ts";
export type { Plan } from "../plan/plan.ts";
export type { Series } from "../plan/plan-header.ts";
export { firstPart, type SharedBudget, sharedBudget } from "../plan/shared-budget.ts";
export { mostJobs, type SpreadJob, type SpreadLoop, spreadItems, spreadLoop } from "../plan/spread.ts";
export { promptVariable } from "../processes/environment.ts";
