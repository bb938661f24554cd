/**
 * Turning a run into commits and branches, and the record of a goal.
 * @module
 */

export { ExpiredTokenError, type Remote, RemoteError } from "../git/remote.ts";
export { changeGoal, readGoal } from "../series/change-goal.ts";
export {
  decideStart,
  type GoalBranch,
  type Holder,
  type SeriesLimits,
  type Start,
} from "../series/decide-start.ts";
export { forecastOf, forecastText } from "../series/forecast.ts";
export { type Grade, gradeIn, gradeTrailer, whyWorse } from "../series/grade.ts";
export { failedChecksText, readinessOf, reviewsText } from "../series/readiness.ts";
export * from "../series/record.ts";
export { readBranches, readParents } from "../workspace/branches.ts";
export {
  type BuiltCommits,
  buildCommits,
  type CommitStep,
  mergeCommit,
} from "../workspace/build-commits.ts";
export { hideCheckoutKeys } from "../workspace/checkout-keys.ts";
export { countLines, findMarkers, readTrees } from "../workspace/compare-trees.ts";
export { readExcludedPaths } from "../workspace/exclude-secrets.ts";
export { keepGitSettings } from "../workspace/keep-git-settings.ts";
export { listCommits, type NewCommit, readBlob } from "../workspace/list-commits.ts";
export { findPackages, PackagesError } from "../workspace/packages.ts";
export {
  fetchCommit as bringCommit,
  findBranchHost,
  PushError,
  pushBranch,
  pushCommit,
  type RemoteBranch,
  readBranch,
  withParent,
} from "../workspace/push-branch.ts";
export { findSecretsInCommits } from "../workspace/scan-secrets.ts";
export { findRepository, gitWorkspace, type LocalRepository as Checkout } from "../workspace/workspace.ts";
