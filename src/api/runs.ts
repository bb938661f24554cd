/**
 * Starting and resuming runs, their log, and their status.
 * @module
 */

export { decide } from "../decisions/decide.ts";
export { viewOf as runViewOf } from "../decisions/run-view.ts";
export { isCommandEvent, speakerOf, wordsOf } from "../engine/command-events.ts";
export {
  conversationOf,
  type IssueFacts,
  type LogEvent,
  parseLogEvent,
  type RunOrigin,
  type RunSettings,
  type RunStarted,
  type SeriesFacts,
} from "../engine/log-events.ts";
export { EmptyLogError } from "../engine/replay.ts";
export type { Conclusion, RunEvent, StopReason } from "../engine/run-events.ts";
export type { RunSession } from "../engine/session.ts";
export { createLocalAdapters, type LocalAdapterOptions } from "../local/local-adapters.ts";
export { preloadChunks } from "../local/preload-chunks.ts";
export { endSignal, listenForStop } from "../local/stop-signal.ts";
export { AgentError } from "../ports/agent.ts";
export { defined } from "../ports/defined.ts";
export type { GoalStore } from "../ports/goal-store.ts";
export type { Wall } from "../ports/isolation.ts";
export { itemOf, itemRun } from "../ports/item.ts";
export type { Json } from "../ports/json.ts";
export type { LiveEvent } from "../ports/live-event.ts";
export { messageOf } from "../ports/message-of.ts";
export { faultOfHost, hostsIn, type NetworkRule } from "../ports/network.ts";
export { parseJson } from "../ports/parse-json.ts";
export { faultOfPlace, placesIn } from "../ports/places.ts";
export { redactSecrets, secretForms, shortestSecret } from "../ports/redact-secrets.ts";
export { redactTokens } from "../ports/redact-tokens.ts";
export {
  BadStoreNameError,
  type LogStore,
  type RecordedRun,
  RunLockedError,
  StaleLogError,
} from "../ports/store.ts";
export { cleanAfterKill } from "../processes/clean-after-kill.ts";
export {
  type Environment,
  isOurs,
  likelySecrets,
  runnerFileNames,
  secretValues,
} from "../processes/environment.ts";
export { refuseWithout } from "../processes/isolation.ts";
export { killLeftovers } from "../processes/process-group.ts";
export { watchPrograms } from "../processes/program-watch.ts";
export { removeAll, takeAll, unlockPath } from "../processes/remove-all.ts";
export { refuseLink } from "../processes/temp-folder.ts";
export { appendDecision } from "../runner/append-decision.ts";
export { RunTakenOverError } from "../runner/append-events.ts";
export { continuations } from "../runner/continuations.ts";
export { extendRun } from "../runner/extend-run.ts";
export { RunExistsError } from "../runner/open-run.ts";
export { type Limits, resume, start } from "../runner/run.ts";
export type { RunEnvironment } from "../runner/run-environment.ts";
export { truncate, wordsOfReason } from "../status/format.ts";
export { headline, needsReview } from "../status/headline.ts";
export { createRunProjection } from "../status/run-projection.ts";
export type { RunStatus, StatusJob } from "../status/run-status.ts";
export { parseRunStatus } from "../status/run-status-schema.ts";
export type { Summary } from "../status/run-summary.ts";
export { gitStoreOptions } from "../stores/git-store-options.ts";
export { openStore } from "../stores/index.ts";
export type { RefHost } from "../stores/rest/tip.ts";
export { isRunId, newRunId, placeOf } from "../stores/run-id.ts";
export { traceRun } from "../telemetry/trace-run.ts";
