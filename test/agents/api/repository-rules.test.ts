import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRulesBelow } from "../../../src/agents/api/repository-rules.ts";
import { temporaryFolder } from "../../workspace/playground.ts";
import { agentContext } from "../agent.contract.ts";

const environment = { PATH: process.env["PATH"] };

function checkout(files: Record<string, string>) {
  const context = agentContext();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(context.workspace, name, ".."), { recursive: true });
    writeFileSync(join(context.workspace, name), text);
  }
  return context;
}

test("the instructions of the folders on the way to a file come once, the nearest last", async () => {
  const context = checkout({
    "AGENTS.md": "TOP",
    "a/AGENTS.md": "OUTER",
    "a/b/CLAUDE.md": "INNER",
    "c/AGENTS.md": "OTHER",
  });
  const rulesFor = openRulesBelow({ context, environment });
  const first = await rulesFor("a/b/file.ts");
  expect(first).toMatch(
    /^<repository-instructions file="a\/AGENTS.md" for="files in a\/; nearer.*OUTER.*"a\/b\/CLAUDE.md".*INNER/s,
  );
  expect(first).not.toMatch(/TOP|OTHER/);
  expect(await rulesFor("a/b/other.ts")).toBe("");
  expect(await rulesFor(join(context.workspace, "c/file.ts"))).toContain("OTHER");
  expect(await rulesFor("file.ts")).toBe("");
});

test("nothing outside the workspace instructs, be it by a path or by a symbolic link", async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, "AGENTS.md"), "OUTSIDE");
  const context = checkout({});
  symlinkSync(outside, join(context.workspace, "link"));
  const rulesFor = openRulesBelow({ context, environment });
  expect(await rulesFor(join(outside, "file.ts"))).toBe("");
  expect(await rulesFor("link/file.ts")).toBe("");
});

test("on a pull request they are those of the branch that it goes to", async () => {
  const context = checkout({ "a/AGENTS.md": "TRUSTED" });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: context.workspace });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "begin");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  writeFileSync(join(context.workspace, "a/AGENTS.md"), "CHANGED");
  const job = { ...environment, GITHUB_EVENT_NAME: "pull_request", GITHUB_BASE_REF: "main" };
  const rules = await openRulesBelow({ context, environment: job })("a/file.ts");
  expect(rules).toContain("TRUSTED");
  expect(rules).not.toContain("CHANGED");
});

test("long ones are cut in their middle", async () => {
  const context = checkout({ "a/AGENTS.md": `first${"x".repeat(100_000)}last` });
  const rules = await openRulesBelow({ context, environment })("a/file.ts");
  expect(rules.length).toBeLessThan(10_000);
  expect(rules).toMatch(/first.*last\n<\/repository-instructions>$/s);
});
