/**
 * Talking to GitHub: the client, what people read there, and what they answer.
 * @module
 */

export { strangersInputs, strangersMessage, visibleText } from "../decisions/visible-text.ts";
export { type Api, apiOf, askIfThere } from "../github/api.ts";
export { keepCheck } from "../github/checks.ts";
export {
  type GitHub,
  type MakeOctokit,
  type OctokitPlugin,
  openGitHub,
  orAborted,
  ownOctokit,
} from "../github/client.ts";
export type { KeptComment } from "../github/comments.ts";
export { dispatch } from "../github/dispatch.ts";
export { repeatOptions, requestRules } from "../github/request-rules.ts";
export { commandLimit, isOverCommandLimit } from "../issue-ops/command-limit.ts";
export { type Config, configFile, readConfig, readConfigText, rulesOf } from "../issue-ops/config.ts";
export { belongsHere } from "../issue-ops/find-run.ts";
export { notifyGates, retireNotices } from "../issue-ops/gate-notice.ts";
export { mayDriveRuns } from "../issue-ops/may-drive-runs.ts";
export { onButton } from "../issue-ops/on-button.ts";
export { onComment } from "../issue-ops/on-comment.ts";
export { mayCommand } from "../issue-ops/permissions.ts";
export { type StatusPublisher, upsertCheckRun, upsertComment } from "../issue-ops/publish-status.ts";
export { incomingComment } from "../issue-ops/read-comments.ts";
export { readMarks } from "../issue-ops/read-marks.ts";
export {
  type Counted,
  counted,
  githubOf,
  type IncomingComment,
  openRepositoryContext,
  type RepositoryContext,
} from "../issue-ops/repository-context.ts";
export { sweep } from "../issue-ops/sweep.ts";
export { showRun } from "../issue-ops/update-status.ts";
export { type RecordedDecision, verifyDecision, verifyStartMessage } from "../issue-ops/verify-decision.ts";
export {
  codeBlock,
  escapeWorkflowCommands,
  inHtml,
  inlineCode,
  inMarkdown,
  inMarkdownWithCode,
  stripControlCharacters,
} from "../render/escape.ts";
export { failingTestMarkdown } from "../render/failing-check.ts";
export { failingCounts } from "../render/failing-counts.ts";
export { isolationSection } from "../render/isolation.ts";
export { livePage, liveTitle } from "../render/live-page.ts";
export { planMermaid, planText } from "../render/plan-markdown.ts";
export { openStopwatch } from "../render/progress-line.ts";
export { reviewMarkdown } from "../render/review.ts";
export { runMarkdown } from "../render/run-markdown.ts";
export { diffUrl } from "../render/sticky-comment.ts";
export { heartbeatMs, openTranscript } from "../render/transcript.ts";

/** GitHub's client, loaded on demand: a job that does not use it starts faster. */
export const loadGitHub = () => import("../github/index.ts");
