import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { annotationsOf } from "./checkout.ts";
import { useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 120_000 });

async function repository() {
  const host = await openGitHubHost({ files: { "a.txt": "red\n" } });
  onTestFinished(() => host.close());
  const asked = join(mkdtempSync(join(tmpdir(), "asked-")), "asked");
  const night = async (more: Readonly<Record<string, string>> = {}) => {
    const inputs = {
      prompt: "Go",
      "until-bash": "grep -qx green a.txt",
      "max-iterations": "1",
      "agent-command": `touch ${asked}; echo green > a.txt; echo done`,
      comment: "none",
      "check-run": "false",
      publish: "pull-request",
      ...more,
    };
    return await useOnHost({ host, inputs, event: "schedule" });
  };
  return { host, night, hasAsked: () => existsSync(asked) };
}

describe("before any agent is asked", () => {
  test("a ruleset that forbids the branch is named, with the remedy", async () => {
    const { host, night, hasAsked } = await repository();
    const ruleset = { id: 7, name: "protect all", current_user_can_bypass: "never" };
    host.rules.push({ type: "creation", branches: /^until-green\//, ruleset });
    const result = await night();
    expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "failure" });
    const message = annotationsOf(result, "error")[0]?.message;
    expect(message).toContain(
      '`publish: pull-request` pushes to until-green/inline, which the repository\'s rules forbid ("Restrict creations" in the ruleset protect all)',
    );
    expect(message).toContain("exclude `until-green/**` from it (Settings → Rules → Rulesets)");
    expect(hasAsked()).toBe(false);
  });

  test("a token on the bypass list pushes, and rules for a branch that is there do not hold for a new one", async () => {
    const { host, night } = await repository();
    const ruleset = { id: 7, name: "protect all", current_user_can_bypass: "always" };
    host.rules.push(
      { type: "creation", branches: /^until-green\//, ruleset, bypass: ["octocat"] },
      { type: "pull_request", branches: /./, ruleset: { id: 8, name: "reviews" } },
    );
    const result = await night({ "push-token": host.tokenOf("octocat") });
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "success",
      "pull-request-number": "1",
    });
  });

  test("a pull request that GitHub did not let an earlier run open is tried again", async () => {
    const { host, night } = await repository();
    const refused = {
      status: 403,
      message: "GitHub Actions is not permitted to create or approve pull requests.",
    };
    host.fault(/^POST .*\/pulls$/, refused);
    expect((await night()).outputs).toMatchObject({ conclusion: "failure", branch: "until-green/inline" });
    const second = await night();
    const [error] = annotationsOf(second, "error");
    expect(error?.message, second.log.join("\n")).toContain(
      "the work of an earlier run is on the branch until-green/inline, but GitHub did not let this job open a pull request",
    );
    expect(error?.message).toContain("Allow GitHub Actions to create and approve pull requests");
    expect(second.outputs).toMatchObject({ "run-id": "" });
    host.heal();
    const third = await night();
    expect(third.outputs, third.log.join("\n")).toMatchObject({
      conclusion: "skipped",
      "pull-request-number": "1",
    });
    expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ draft: false });
  });
});
