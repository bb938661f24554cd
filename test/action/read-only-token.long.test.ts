import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 120_000 });

const message = "Resource not accessible by integration";

const night = async (host: GitHubHost, inputs: Readonly<Record<string, string>> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "asked-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const asked = join(folder, "asked");
  const result = await useOnHost({
    host,
    inputs: {
      prompt: "Go",
      "until-bash": "grep -qx green a.txt",
      "max-iterations": "1",
      "agent-command": `touch ${asked}; echo green > a.txt; echo done`,
      publish: "pull-request",
      ...inputs,
    },
    event: "schedule",
    env: { GITHUB_WORKFLOW_REF: `${host.repository}/.github/workflows/loop.yml@refs/heads/main` },
  });
  return {
    ...result,
    conclusion: result.outputs["conclusion"],
    error: annotationsOf(result, "error")
      .map(({ message }) => message)
      .join("\n"),
    isAsked: existsSync(asked),
  };
};

test("a token that may only read is refused before an agent is asked, with the permission to add", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  host.fault(/^(POST|PATCH|PUT|DELETE) .*\/git\//, { status: 403, message });
  host.git.fault = ({ kind }) => (kind === "push" ? "forbid" : undefined);
  const { error, isAsked, log } = await night(host);
  expect(error, log.join("\n")).toContain("Give the job `permissions: contents: write");
  expect(isAsked).toBe(false);
});

test("so is one that may not read the pull requests of a private repository", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  host.fault(/ .*\/pulls(\/|$)/, { status: 403, message });
  const { error, isAsked, log } = await night(host);
  expect(error, log.join("\n")).toContain("`permissions: pull-requests: write`");
  expect(isAsked).toBe(false);
});

const withWorkflow = (permissions: string) =>
  openRepository({
    files: {
      "a.txt": "red\n",
      ".github/workflows/loop.yml": `on: schedule\n${permissions}\njobs:\n  test:\n    runs-on: ubuntu-latest\n`,
    },
  });

describe("in a public repository, where everybody may read,", () => {
  test("a missing permission to open a pull request or an issue is reported before an agent is called", async () => {
    const host = await withWorkflow("permissions: { contents: write }");
    host.fault(/^(POST|PATCH) .*\/(pulls|issues)(\/|$)/, { status: 403, message });
    const { conclusion, error, isAsked, log } = await night(host, { "failure-issue": "2" });
    expect(conclusion, log.join("\n")).toBe("failure");
    expect(error).toContain("`publish: pull-request` needs a permission this job does not have");
    for (const it of ["pull-requests", "issues"]) expect(error).toContain(`\`permissions: ${it}: write\``);
    expect(isAsked).toBe(false);
    expect(host.git.git("for-each-ref", "refs/until-green", "refs/heads/until-green")).toBe("");
  });

  test("a token that may do more than the file gives the job is taken at its word, and nothing is left of the attempt", async () => {
    const host = await withWorkflow("permissions: {}");
    const { conclusion, log } = await night(host, { "failure-issue": "2" });
    expect(conclusion, log.join("\n")).toBe("success");
    expect(await host.as("octocat", "GET /pulls?state=all")).toHaveLength(1);
    expect(await host.as("octocat", "GET /issues?state=all")).toHaveLength(0);
    const posted = host.journal.filter(
      ({ method, path }) => method === "POST" && /\/(pulls|issues)$/.test(path),
    );
    expect(posted.map(({ status }) => status)).toEqual([422, 422, 201]);
  });
});

test("without the workflow's file, one run in a public repository finds out, and the next fails before it starts", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  host.fault(/^(POST|PATCH) .*\/pulls(\/|$)/, { status: 403, message });
  const first = await night(host);
  expect(first.error, first.log.join("\n")).toContain("Give the job `permissions: pull-requests: write`");
  expect(first.error).toContain("/compare/main...until-green/inline?expand=1");
  expect(first.outputs).toMatchObject({ branch: "until-green/inline" });
  const second = await night(host);
  expect(second.error, second.log.join("\n")).toContain("Give the job `permissions: pull-requests: write`");
  expect(second.isAsked).toBe(false);
});
