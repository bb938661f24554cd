/**
 * The front door: all that `action/` and `app/` may use.
 * @module
 */

export { installAgent, isProgram } from "./adapters/agents/install.ts";
export { type Environment, likelySecrets, secretValues } from "./adapters/environment.ts";
export { type Api, askIfThere, type Repository } from "./adapters/github/api.ts";
export { keepCheck } from "./adapters/github/checks.ts";
export { type GitHub, jobLogin, openGitHub } from "./adapters/github/client.ts";
export type { KeptComment } from "./adapters/github/comments.ts";
export { DispatchError, dispatch } from "./adapters/github/dispatch.ts";
export { isInTeam, type Role, reaches, roleOf } from "./adapters/github/permission.ts";
export { type HandsOptions, openHands } from "./adapters/hands.ts";
export { holdParts } from "./adapters/held-parts.ts";
export { endLeftovers } from "./adapters/process-group.ts";
export { listenForStop } from "./adapters/stop-signal.ts";
export { type Remote, RemoteError } from "./adapters/stores/git/remote.ts";
export { gitPlace } from "./adapters/stores/git-place.ts";
export { openStore } from "./adapters/stores/index.ts";
export type { Around, Host as RefHost, Look, Survey, Tip } from "./adapters/stores/rest/tip.ts";
export { type RestRefs, restRefs } from "./adapters/stores/rest-ref.ts";
export { isRunId, newRunId } from "./adapters/stores/run-id.ts";
export {
  filesBeside,
  findWorkflow,
  listWorkflows,
  readSource,
  type SourceFile,
} from "./adapters/workflow-files.ts";
export { readBranches } from "./adapters/workspace/branches.ts";
export { hideCheckoutKeys } from "./adapters/workspace/checkout-keys.ts";
export { type Laid, layCommits } from "./adapters/workspace/lay.ts";
export { findLeaks } from "./adapters/workspace/leaks.ts";
export {
  bringCommit,
  findBranchHost,
  pushBranch,
  type RemoteBranch,
  readBranch,
} from "./adapters/workspace/push-branch.ts";
export { readWithheld } from "./adapters/workspace/withhold.ts";
export { findRepository, gitWorkspace, type Repository as Checkout } from "./adapters/workspace.ts";
export {
  type Heard,
  hearComment,
  type RunWords,
  readTell,
  type Spoken,
} from "./commands/comment-text.ts";
export { nearest } from "./commands/nearest.ts";
export { type Compiled, loadAndCompile } from "./compile/compile.ts";
export { inlineLoop } from "./compile/inline-loop.ts";
export { readSource as readYaml } from "./compile/source.ts";
export { EmptyLogError } from "./engine/advance.ts";
export {
  type Comment,
  type Origin,
  type RunEvent,
  type RunFacts,
  type RunStarted,
  readEvent,
} from "./engine/event.ts";
export type { Session } from "./engine/session.ts";
export type { Conclusion, StopReason, ToldEvent } from "./engine/told.ts";
export { agentsOf } from "./plan/agents.ts";
export type { Diagnostic } from "./plan/diagnostic.ts";
export { fillInputs } from "./plan/inputs.ts";
export type { Plan } from "./plan/plan.ts";
export { AgentError } from "./ports/agent.ts";
export { itemOf, itemRun } from "./ports/item.ts";
export { secretForms, shortestSecret, strike } from "./ports/secret.ts";
export {
  BadStoreNameError,
  BrokenLogError,
  type LogStore,
  RunHeldError,
  StaleLogError,
} from "./ports/store.ts";
export { type CheckPage, checkName, checkPage, readButton } from "./report/check.ts";
export { fence, forRunner, inHtml, inlineCode, inMarkdown, plain } from "./report/escape.ts";
export { followRun } from "./report/follow.ts";
export { headline } from "./report/headline.ts";
export { live, liveTitle } from "./report/live.ts";
export { page } from "./report/page.ts";
export { planMermaid, planText } from "./report/plan-page.ts";
export { openStopwatch, progressLine } from "./report/progress-line.ts";
export type { Standing, StandingGate, StandingJob } from "./report/standing.ts";
export { readStanding } from "./report/standing-schema.ts";
export { diffUrl, stickyComment, stickyMarker } from "./report/sticky.ts";
export type { Summary } from "./report/summary.ts";
export { cut } from "./report/words.ts";
export { continuations } from "./runner/continuations.ts";
export { TakenRunError } from "./runner/log.ts";
export { LostRunError } from "./runner/record.ts";
export { EndedRunError, type Limits, resume, start } from "./runner/run.ts";
export type { World } from "./runner/world.ts";

/** GitHub's client, loaded by the first who needs it: a job that shows nothing there starts without it. */
export const loadGitHub = () => import("./adapters/github/index.ts");
