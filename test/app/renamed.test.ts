import { expect, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { findRun } from "../../src/issue-ops/find-run.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { sweep } from "../../src/issue-ops/sweep.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

/** A repository that was renamed after its runs were recorded, seen by its new name. */
async function renamed(name: string, key?: string) {
  const { github } = await openAppRepository();
  github.rename(name);
  const client = openGitHub({ token: github.token, repository: name, apiUrl: github.url });
  const site = openRepositoryContext({ api: apiOf(client), ...client.at, defaultBranch: "main", key });
  return { github, site };
}

test.each(["octocat/hi", "bea/hello"])(
  "in a repository that is now called %s, the sweep resumes its earlier runs, and no others",
  async (name) => {
    const { github, site } = await renamed(name);
    const due = { summary: { stopReason: "rate-limit", wakeAt: "2026-01-01T05:00:00.000Z" }, gates: [] };
    const workflow = ".github/workflows/loop.yml";
    for (const run of ["due-run-0a1b2c3d", "due-run-0a1b2c3e"])
      seedRun(github, { run, ...due, origin: { workflow } });
    for (const [run, repository] of [
      ["copied-run-0a1b2c3d", "stranger/other"],
      ["wrong-run-0a1b2c3d", "../../user"],
    ] as const)
      seedRun(github, { run, ...due, origin: { workflow, repository } });
    const { started, faults } = await sweep(site);
    expect(faults).toEqual([]);
    expect(started.toSorted()).toEqual(["due-run-0a1b2c3d", "due-run-0a1b2c3e"]);
    const asked = github.journal.filter(({ path }) => /^\/(repos|repositories)\/[^/]+(\/hello)?$/.test(path));
    expect(asked).toHaveLength(1);
  },
);

test("a signed record of a repository that was renamed is continued, and one of another repository is not", async () => {
  const secret = "a".repeat(64);
  const { github, site } = await renamed("octocat/hi", secret);
  const run = "sealed-run-0a1b2c3d";
  const copied = "copied-run-0a1b2c3d";
  seedRun(github, { run, key: { secret, repository: "octocat/hello" } });
  seedRun(github, { run: copied, key: { secret, repository: "stranger/other" } });
  const more = { lines: ["{}"], owner: "o", at: "2026-01-01T00:00:00.000Z" };
  const append = async (id: string) => {
    const { tip } = await site.look(id);
    return tip && (await site.runs.append(tip, more));
  };
  expect(await append(run)).toMatch(/^[0-9a-f]{40}$/);
  await expect(append(copied)).rejects.toThrow("it was signed for the repository stranger/other");
});

test("a command finds the run of a repository that was renamed, and not one of another repository", async () => {
  const { github, site } = await renamed("octocat/hi");
  seedRun(github, { run: "gated-run-0a1b2c3d", origin: { pull: 1 } });
  seedRun(github, { run: "copied-run-0a1b2c3d", origin: { pull: 1, repository: "stranger/other" } });
  const command = {
    kind: "approve",
    word: undefined,
    rest: "",
    text: "",
    anyway: false,
    gate: undefined,
  } as const;
  const comment = { id: 5, pull: 1, by: "ada" };
  expect(await findRun(site, command, comment)).toMatchObject({ run: "gated-run-0a1b2c3d" });
  expect(await findRun(site, { ...command, word: "copied-run-0a1b2c3d" }, comment)).toMatchObject({
    refused: expect.stringContaining("belongs to"),
  });
});
