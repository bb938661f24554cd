import { expect, test } from "vitest";
import { runBranches } from "../../src/engine/dependency-scheduler.ts";
import type { Operation, Parallel } from "../../src/engine/operation.ts";

type Branches = Parallel<string>["branches"];

const branch = (id: string, ...after: readonly string[]): Branches[number] => ({
  id,
  after,
  begin: () => [][Symbol.iterator]() as unknown as Operation<string>,
});

/** Runs branches until all have ended, the newest or the oldest first; returns what happened, in order. */
function played(branches: Branches, options: Partial<Parallel<string>> = {}, newestFirst = false) {
  const happened: string[] = [];
  const running: { readonly id: string; readonly end: () => void }[] = [];
  runBranches(
    { branches, atMost: 9, ...options },
    {
      start({ id }, ended) {
        happened.push(`+${id}`);
        running.push({ id, end: () => ended(id) });
      },
      finish: (ended) => happened.push(`= ${[...ended.keys()].join(" ")}`),
    },
  );
  while (running.length > 0) {
    const one = newestFirst ? running.pop() : running.shift();
    happened.push(`-${one?.id}`);
    one?.end();
  }
  return happened.join(" ");
}

test.each<[string, Branches, Partial<Parallel<string>>, string]>([
  ["nothing to run", [], {}, "= "],
  ["all at once", [branch("a"), branch("b")], {}, "+a +b -a -b = a b"],
  ["one at a time", [branch("a"), branch("b")], { atMost: 1 }, "+a -a +b -b = a b"],
  ["two at a time", [branch("a"), branch("b"), branch("c")], { atMost: 2 }, "+a +b -a +c -b -c = a b c"],
  [
    "each after those it depends on",
    [branch("c", "a", "b"), branch("a"), branch("b", "a")],
    {},
    "+a -a +b -b +c -c = a b c",
  ],
  ["a dependency that does not exist", [branch("a", "none")], {}, "+a -a = a"],
  [
    "dependents in the order of the list",
    [branch("a"), branch("b", "a"), branch("c", "a"), branch("d", "a")],
    { atMost: 1 },
    "+a -a +b -b +c -c +d -d = a b c d",
  ],
  [
    "branches in the order in which they became ready",
    [branch("c", "a"), branch("a"), branch("b")],
    { atMost: 1 },
    "+a -a +b -b +c -c = a b c",
  ],
  [
    "ready branches in the order of the list, if asked for",
    [branch("c", "a"), branch("a"), branch("b")],
    { atMost: 1, inOrder: true },
    "+a -a +c -c +b -b = a c b",
  ],
  [
    "no more once one was enough, but all that run to their end",
    [branch("a"), branch("b"), branch("c", "a"), branch("d")],
    { atMost: 2, enough: (id) => id === "a" },
    "+a +b -a -b = a b",
  ],
])("%s", (...[, branches, options, happened]) => {
  expect(played(branches, options)).toBe(happened);
});

test("a branch starts once the last of those it depends on has ended, in whatever order they end", () => {
  expect(played([branch("a"), branch("b"), branch("c", "a", "b")], {}, true)).toBe(
    "+a +b -b -a +c -c = b a c",
  );
});
