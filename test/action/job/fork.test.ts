import { expect, test } from "vitest";
import { forkOf } from "../../../action/job/fork.ts";

const own = { full_name: "me/Repo" };
const eve = { full_name: "eve/repo" };
const pull = (repo: unknown) => ({ pull_request: { number: 1, head: { repo } } });

const judge = (name: string, event: unknown) =>
  forkOf({ env: { GITHUB_EVENT_NAME: name }, event }, "me/repo");

test.each([
  ["pull_request", pull(eve), "eve/repo"],
  ["pull_request_target", pull(null), "a deleted repository"],
  ["workflow_run", { workflow_run: { head_repository: eve } }, "eve/repo"],
  ["workflow_run", { workflow_run: { head_repository: null } }, "a deleted repository"],
  ["check_suite", { check_suite: { head_branch: null } }, "another repository"],
  ["check_run", { check_run: { check_suite: { head_branch: null } } }, "another repository"],
  ["status", { branches: [] }, "another repository"],
  ["deployment_status", { deployment: { ref: "a".repeat(40) } }, "another repository"],
  ["deployment", { deployment: { ref: "refs/pull/3/merge" } }, "another repository"],
])("under %s, %j is of a fork", (name, event, source) => {
  expect(judge(name, event)).toBe(source);
});

test.each([
  ["pull_request", { pull_request: { number: "1", head: { repo: own } } }],
  ["pull_request", { pull_request: { number: 1, head: { repo: 5 } } }],
  ["pull_request", {}],
  ["pull_request_review", undefined],
  ["issue_comment", { issue: { number: "5" } }],
  ["workflow_run", { workflow_run: {} }],
  ["check_suite", { check_suite: {} }],
  ["check_run", { check_run: { check_suite: null } }],
  ["status", {}],
  ["deployment_status", { deployment: { ref: 5 } }],
  ["a_new_event", { pull_request: "unreadable" }],
])("under %s, %j cannot be read and is refused", (name, event) => {
  expect(judge(name, event)).toBe("an unknown repository");
});

test.each([
  ["pull_request", pull],
  ["workflow_run", (head: unknown) => ({ workflow_run: { head_repository: head } })],
])("under %s, an event from before the repository was renamed is of this repository", (name, event) => {
  const before = { full_name: "me/before" };
  expect(judge(name, { ...event(before), repository: before })).toBeUndefined();
  expect(judge(name, { ...event(eve), repository: before })).toBe("eve/repo");
  // Another repository may have taken a name since.
  expect(judge(name, { ...event(own), repository: before })).toBe("me/Repo");
});

test.each([
  ["push", {}],
  ["schedule", undefined],
  ["workflow_dispatch", { inputs: {} }],
  ["pull_request", pull(own)],
  ["pull_request_target", { pull_request: { number: 1 } }],
  ["issue_comment", { issue: { number: 5, pull_request: {} } }],
  ["workflow_run", { workflow_run: { head_repository: own } }],
  ["check_suite", { check_suite: { head_branch: "main" } }],
  ["check_run", { check_run: { check_suite: { head_branch: "main" } } }],
  ["status", { branches: [{ name: "main" }] }],
  ["deployment_status", { deployment: { ref: "main" } }],
])("under %s, %j is of this repository, or its pull request is asked for", (name, event) => {
  expect(judge(name, event)).toBeUndefined();
});
