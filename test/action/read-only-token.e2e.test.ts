import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { said } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 120_000 });

const message = "Resource not accessible by integration";

const night = async (host: GitHubHost) => {
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
    },
    event: "schedule",
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "failure" });
  return { ...result, error: said(result, "error")[0]?.message, isAsked: existsSync(asked) };
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

test("in a public repository everybody may read them: one run finds out, and the next is told before it begins", async () => {
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
