import { expect, test } from "vitest";
import { restoreWorkspace } from "../../src/runner/restore-workspace.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";

/** A checkout with some changed files, and what is done with it. */
function open(files: number, isHere: boolean) {
  const done: string[] = [];
  const notices: string[] = [];
  const environment = {
    workspace: "/work",
    notice: (text: string) => notices.push(text),
    store: {
      work: {
        bring: async (_: string, commit: string, restore: (fetch: () => Promise<void>) => Promise<void>) => {
          if (!isHere) await restore(async () => void done.push(`fetch ${commit}`));
        },
        keep: (_: string, commit: string) => void done.push(`keep ${commit}`),
      },
    },
    gitWorkspace: {
      prepare: async () => void done.push("prepare"),
      async handle({ op, commit, since }: { op: string; commit?: string; since?: string }) {
        done.push([op, commit ?? since].join(" ").trim());
        return { commit: "before-1", diff: { files } };
      },
    },
  } as unknown as RunEnvironment;
  return { environment, done, notices };
}

test("a checkout that is not the run's is saved before the run's work comes into it, and named", async () => {
  const { environment, done, notices } = open(2, false);
  await restoreWorkspace(environment, "run-1", "abc");
  expect(done).toEqual(["prepare", "snapshot", "fetch abc", "restore abc", "keep abc"]);
  expect(notices).toEqual([
    "the checkout is now as run run-1 left it; the previous files are saved as snapshot before-1",
  ]);
});

test("no notice about a checkout that had no changes, or is the run's", async () => {
  const clean = open(0, false);
  await restoreWorkspace(clean.environment, "run-1", "abc");
  expect(clean.notices).toEqual([]);
  const same = open(2, true);
  await restoreWorkspace(same.environment, "run-1", "abc");
  expect([same.done, same.notices]).toEqual([["keep abc"], []]);
});

test("a run without a snapshot, or without git, leaves the checkout as it is", async () => {
  const { environment, done } = open(2, false);
  await restoreWorkspace(environment, "run-1", undefined);
  await restoreWorkspace({ ...environment, gitWorkspace: undefined } as never, "run-1", "abc");
  expect(done).toEqual([]);
});
