/**
 * The front door: all that `action/` and `app/` may use.
 * @module
 */

export { type Environment, secretValues } from "./adapters/environment.ts";
export type { GitHub, GitHubError } from "./adapters/github/client.ts";
export { openHands } from "./adapters/hands.ts";
export { listenForStop } from "./adapters/stop-signal.ts";
export { openStore } from "./adapters/stores/index.ts";
export { isRunId, newRunId } from "./adapters/stores/run-id.ts";
export {
  filesBeside,
  findWorkflow,
  listWorkflows,
  readSource,
  type SourceFile,
} from "./adapters/workflow-files.ts";
export { readBranches } from "./adapters/workspace/branches.ts";
export { type Laid, layCommits } from "./adapters/workspace/lay.ts";
export { bringCommit, pushBranch, type RemoteBranch, readBranch } from "./adapters/workspace/push-branch.ts";
export { findRepository, gitWorkspace } from "./adapters/workspace.ts";
export { type Compiled, compile } from "./compile/compile.ts";
export { inlineLoop } from "./compile/inline-loop.ts";
export type { RunFacts } from "./engine/event.ts";
export type { Conclusion, StopReason, ToldEvent } from "./engine/told.ts";
export { agentsOf } from "./plan/agents.ts";
export type { Diagnostic } from "./plan/diagnostic.ts";
export { fillInputs } from "./plan/inputs.ts";
export type { Plan } from "./plan/plan.ts";
export { AgentError } from "./ports/agent.ts";
export { type CheckPage, checkName, checkPage, readButton } from "./report/check.ts";
export { fence, forRunner, inlineCode, inMarkdown, plain } from "./report/escape.ts";
export { followRun } from "./report/follow.ts";
export { headline } from "./report/headline.ts";
export { page } from "./report/page.ts";
export { planMermaid, planText } from "./report/plan-page.ts";
export { openStopwatch, progressLine } from "./report/progress-line.ts";
export type { Standing } from "./report/standing.ts";
export { diffUrl, stickyComment, stickyMarker } from "./report/sticky.ts";
export { observe, type Summary, startSummary } from "./report/summary.ts";
export { cut } from "./report/words.ts";
export { start } from "./runner/run.ts";
export type { World } from "./runner/world.ts";

/** GitHub's client, loaded by the first who needs it: a job that shows nothing there starts without it. */
export const loadGitHub = () => import("./adapters/github/index.ts");
