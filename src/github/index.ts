/**
 * GitHub, loaded on demand.
 * @module
 */

export { apiOf } from "./api.ts";
export { readPushRules } from "./branch-rules.ts";
export { keepCheck, readCheckSummaries, updateCheck } from "./checks.ts";
export { jobLogin, openGitHub } from "./client.ts";
export { editComment, findComment, keepComment, readComment } from "./comments.ts";
export { goalRefs } from "./goal-ref.ts";
export { closeIssue, createIssue, findIssue, readIssue, updateIssue } from "./issues.ts";
export { readChecks } from "./pull-checks.ts";
export { readPullReadiness, readReviews, resolveThread } from "./pull-readiness.ts";
export {
  addLabels,
  askPeople,
  countOpenPulls,
  createPull,
  findLastPull,
  findPull,
  readCommitParents,
  readMergeBase,
  readMessage,
  readPull,
  setDraft,
  updatePull,
} from "./pulls.ts";
export {
  isNameOf,
  readAccess,
  readBranchInTheWay,
  readBranchName,
  readRepositoryFacts,
  writeAccess,
} from "./repository.ts";
export { isChecked, isRunAlive } from "./runs.ts";
