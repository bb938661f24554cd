import type { ShellAnswer, ShellRequest } from "../../src/ports/shell.ts";
import type { TestInventory } from "../../src/ports/tests.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { type Props, stage } from "../parts/stage.ts";

/** A loop with a check. */
export const loop = (keys: string, checks = "baseline: true") => `
name: t
agents: { critic: { instructions: judge } }
nodes:
  - id: fix
    loop:
      prompt: "fix it"
      until_bash: npm test
      max_iterations: 4
      check: { ${checks} }
      ${keys}
`;

/** The tests that a check ran, by name. */
export const tests = (passed: readonly string[], failed: readonly string[] = []): TestInventory => ({
  runner: "t",
  passed: passed.length,
  failed: failed.length,
  skipped: 0,
  names: { passed: [...passed], failed: [...failed], skipped: [] },
});

export const red = (inventory?: TestInventory): Partial<ShellAnswer> => ({
  exitCode: 1,
  ...(inventory === undefined ? {} : { tests: inventory }),
});
export const green = (inventory?: TestInventory): Partial<ShellAnswer> => ({
  exitCode: 0,
  ...(inventory === undefined ? {} : { tests: inventory }),
});
export const before = tests(["a"], ["b"]);
export const after = tests(["a", "b"]);

/** Each snapshot is another tree by default. */
export function workspace(tree: (snapshot: number) => string = (count) => `tree-${count}`) {
  let count = 0;
  return (request: WorkspaceRequest): WorkspaceAnswer => {
    if (request.op === "diff") return { patch: "+fixed" };
    if (request.op !== "snapshot") return {};
    count += 1;
    return { commit: `commit-${count}`, tree: tree(count) };
  };
}

/**
 * Answers here in order, and in a fresh clone by its commit. The check leaves files in the clone before the agent, so
 * that it runs in the checkout too.
 */
export function shell(
  here: readonly Partial<ShellAnswer>[],
  clones: Readonly<Record<string, Partial<ShellAnswer>>> = {},
) {
  let at = 0;
  return ({ clean }: ShellRequest): Partial<ShellAnswer> => {
    if (clean?.keep) return clones[clean.commit] ?? { ...red(before), clean: { leaves: true } };
    if (clean !== undefined) return clones[clean.commit] ?? green(after);
    at += 1;
    return here[Math.min(at, here.length) - 1] ?? {};
  };
}

/** A run of such a loop to its end. */
export async function ended(keys: string, props: Props, checks?: string) {
  const it = stage(loop(keys, checks), { workspace: workspace(), ...props });
  await it.begin();
  return it;
}
