import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandResult, eventsOf, openRepository } from "./command-line.ts";

/** What the agent does at the prompts that contain a text. */
interface Reply {
  readonly when: string;
  readonly say?: unknown;
  readonly write?: Readonly<Record<string, string>>;
  /** Files of the run's artifacts. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** Runs a workflow of the structure of one of Archon's own, with GitHub's command line pretended. */
async function play(workflow: string, message: string, replies: readonly Reply[]): Promise<CommandResult> {
  const repository = openRepository({
    copy: "test/fixtures/archon-defaults",
    files: { "replies.json": JSON.stringify(replies), "a.txt": "a\n" },
    programs: "test/fixtures/archon-defaults-bin",
  });
  const origin = ["remote", "add", "origin", "https://github.com/acme/shop.git"];
  execFileSync("git", origin, { cwd: repository.cwd, stdio: "pipe" });
  const agent = `command:node ${join(repository.cwd, "agent.mjs")}`;
  return await repository.untilGreen("run", workflow, message, "--agent", agent);
}

const endOf = ({ events }: CommandResult) => events.find(({ type }) => type === "run.ended");
const nodesOf = (run: CommandResult) =>
  Object.fromEntries(eventsOf(run, "node.ended").map(({ node, status }) => [node, status]));
const outputOf = (run: CommandResult, id: string) =>
  eventsOf(run, "node.ended").find(({ node }) => node === id)?.output;
const promptOf = (run: CommandResult, id: string) =>
  eventsOf(run, "agent.asked").find(({ path }) => path === `/${id}`)?.prompt;

test("check has nothing to say of them", async () => {
  const repository = openRepository({ copy: "test/fixtures/archon-defaults" });
  const { code, events } = await repository.untilGreen("check");
  expect({ code, events }).toEqual({ code: 0, events: [] });
}, 60_000);

test("from an idea to a pull request, on the base that is wanted", async () => {
  const run = await play("archon-idea-to-pr", "Add a search", [
    { when: "# archon-implement-tasks\n", write: { "search.txt": "search\n" } },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "success" });
  const ended = nodesOf(run);
  expect(Object.keys(ended)).toHaveLength(17);
  expect(new Set(Object.values(ended))).toEqual(new Set(["completed"]));
  expect(outputOf(run, "verify-pr-base")).toBe("edited: pr edit 7 --base main");
}, 120_000);

test("from a plan to a pull request, with the reviews of an included workflow", async () => {
  const run = await play("archon-plan-to-pr", ".agents/plans/search.md", [
    { when: "# archon-implement-tasks\n", write: { "search.txt": "search\n" } },
    { when: "# archon-workflow-summary\n", say: "Merged soon." },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "success", output: "Merged soon." });
  const ended = nodesOf(run);
  expect(Object.keys(ended)).toEqual(
    expect.arrayContaining([
      "plan-setup",
      "finalize-pr",
      "review__verify-pr-base",
      "review__implement-fixes",
    ]),
  );
  expect(new Set(Object.values(ended))).toEqual(new Set(["completed"]));
  expect(outputOf(run, "review__verify-pr-base")).toBe("edited: pr edit 7 --repo acme/shop --base main");
  expect(promptOf(run, "plan-setup")).toContain("**Request**: .agents/plans/search.md\n");
}, 120_000);

test("an issue is fixed although one of its reviews fails", async () => {
  const run = await play("archon-issue-review-full", "fix #12", [
    { when: "# archon-investigate-issue\n", keep: { "investigation.md": "found\n" } },
    { when: "# archon-implement-issue\n", write: { "a.txt": "b\n" } },
    { when: "# archon-test-coverage-agent\n", say: "CRASH" },
    { when: "# archon-implement-review-fixes\n", write: { "fixed.txt": "fixed\n" } },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "failure" });
  const { "review__test-coverage": failed, ...others } = nodesOf(run);
  expect(failed).toBe("failed");
  expect(others).toMatchObject({ review__synthesize: "completed", summary: "completed" });
  expect(new Set(Object.values(others))).toEqual(new Set(["completed"]));
}, 120_000);

test("a review that fails stops no other node, and the run ends as a failure", async () => {
  const run = await play("archon-idea-to-pr", "Add a search", [
    { when: "# archon-docs-impact-agent\n", say: "CRASH" },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "failure" });
  const { "docs-impact": failed, ...others } = nodesOf(run);
  expect(failed).toBe("failed");
  expect(new Set(Object.values(others))).toEqual(new Set(["completed"]));
}, 120_000);

test("an issue is fixed: the branches that its class asks for, and no others", async () => {
  const runs = { run_code_review: "true", run_error_handling: "false", run_test_coverage: "true" };
  const run = await play("archon-fix-github-issue", "fix acme/shop#12", [
    {
      when: "# archon-parse-user-request\n",
      say: { user_request: 'fix #12, it\'s "slow"', issue_number: "12", repo: "acme/shop", repo_url: "" },
    },
    { when: "Classify this issue.", say: { issue_type: "bug", title: "It's slow", reasoning: "r" } },
    { when: "# archon-investigate-issue\n", keep: { "investigation.md": "found\n" } },
    { when: "# archon-fix-issue\n", write: { "a.txt": "b\n" } },
    {
      when: "Which reviews are needed?",
      say: { ...runs, run_comment_quality: "false", run_docs_impact: "false", reasoning: "r" },
    },
    { when: "# archon-issue-completion-report\n", say: "Reported." },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "success", output: "Reported." });
  const skipped = Object.entries(nodesOf(run)).flatMap(([id, status]) => (status === "skipped" ? [id] : []));
  expect(skipped.toSorted()).toEqual(["comment-quality", "docs-impact", "error-handling", "plan"]);
  expect(outputOf(run, "fetch-issue")).toBe(`{"title":"It's slow","body":"after: 12"}`);
  expect(promptOf(run, "create-pr")).toContain("- **Title**: It's slow\n\n1. `ORIGIN_REPO=$(git remote");
  expect(outputOf(run, "verify-pr-base")).toBe("edited: pr edit 7 --repo acme/shop --base main");
}, 120_000);

test("an issue that needs no fix ends well, with everything after the decision skipped", async () => {
  const run = await play("archon-fix-github-issue", "fix #3", [
    {
      when: "# archon-parse-user-request\n",
      say: { user_request: "fix #3", issue_number: "3", repo: "", repo_url: "" },
    },
    { when: "Classify this issue.", say: { issue_type: "feature", title: "t", reasoning: "r" } },
    { when: "# archon-create-plan\n", keep: { ".no-op": "it is done already\n" } },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "success" });
  expect(nodesOf(run)).toMatchObject({ investigate: "skipped", plan: "completed", implement: "skipped" });
  expect(nodesOf(run)).toMatchObject({ "create-pr": "skipped", synthesize: "skipped", report: "skipped" });
}, 120_000);

test("Ralph's loop does one story after another, until the last", async () => {
  const stories = (...passes: readonly boolean[]) =>
    passes.map((it, index) => `{"id": "US-${index}",\n"passes": ${it}}\n`).join("");
  const file = ".archon/ralph/search/prd.json";
  const run = await play("archon-ralph-dag", "Add a search", [
    { when: "**User input**: Add a search", say: { input_type: "needs_generation", prd_dir: "" } },
    { when: "# archon-ralph-generate\n", write: { [file]: stories(true, false, false) } },
    {
      when: "Do ONE story.",
      say: "Two.\n<promise>COMPLETE</promise>",
      write: { [file]: stories(true, true, true) },
    },
  ]);
  expect(endOf(run), run.stderr).toMatchObject({ conclusion: "success", iterations: 1 });
  expect(outputOf(run, "validate-prd")).toMatch(
    /PRD_DIR=\.archon\/ralph\/search\n[\s\S]*STORIES_REMAINING=2$/,
  );
  expect(promptOf(run, "report")).toContain("**Last iteration:**\n\nTwo.\n\n**Setup:**\n\nBRANCH=");
}, 120_000);
