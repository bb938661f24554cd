import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { KeptClones } from "../../src/local/kept-clones.ts";
import { runInClone } from "../../src/local/run-in-clone.ts";
import { bashShell } from "../../src/processes/shell.ts";
import { gitWorkspace } from "../../src/workspace/workspace.ts";
import { commitOf, openPlayground } from "../workspace/playground.ts";

/** Runs a check in a fresh clone, whose empty folder a program changes as soon as it exists. */
async function runBeside(change: (root: string, outside: string) => void) {
  const { root: top, workspace: cwd, outside, snapshot } = openPlayground({ files: { "a.txt": "a\n" } });
  const commit = await commitOf(snapshot());
  const signal = AbortSignal.timeout(20_000);
  const makeRoot = () => {
    const root = mkdtempSync(join(top, "clone-"));
    change(root, outside);
    return root;
  };
  const artifacts = join(top, "artifacts");
  mkdirSync(artifacts);
  const script = "cat a.txt; pwd; echo $HOME $PYTHONPYCACHEPREFIX";
  const answer = runInClone(
    {
      cwd,
      environment: { PATH: process.env["PATH"], HOME: top },
      workspace: gitWorkspace({ privateDir: (runId) => join(top, "private", runId) }),
      open: bashShell,
      changed: [],
      makeRoot,
      settings: { writeTo: () => undefined },
      clones: new KeptClones(),
    },
    {
      role: "check",
      script,
      env: {},
      timeoutMs: 20_000,
      clean: { commit, base: commit, guard: { scripts: [], allow: [], tests: false } },
    },
    { signal, workspace: cwd, artifacts, onText: () => undefined, env: { UNTIL_GREEN_RUN: "run-0001" } },
  );
  return { answer, cwd, outside, left: () => readdirSync(top).filter((name) => /clone|draft/.test(name)) };
}

test("a check runs in the folder of its clone, with its home there", async () => {
  let place = "";
  const { answer, cwd, left } = await runBeside((root) => {
    place = root;
  });
  const { stdout } = await answer;
  expect(stdout).toBe(`a\n${place}/checkout/${basename(cwd)}\n${place}/home ${place}/pyc\n`);
  expect(left()).toEqual([]);
});

test.each([
  ["in the folder", (root: string, outside: string) => symlinkSync(outside, join(root, "checkout"))],
  ["for the home folder", (root: string, outside: string) => symlinkSync(outside, join(root, "home"))],
  [
    "in place of the folder",
    (root: string, outside: string) => {
      rmdirSync(root);
      symlinkSync(outside, root);
    },
  ],
])("a link that a program puts %s of a clone while it is made leads nowhere", async (_, change) => {
  const { answer, outside, left } = await runBeside(change);
  await expect(answer).rejects.toThrow(/no fresh clone at .*: another program changed this folder/);
  expect(readdirSync(outside)).toEqual([]);
  expect(left()).toEqual([]);
});
