import { toArray } from "./bounded-list.ts";
import { shortened } from "./format.ts";
import type { LoopSummary } from "./loop-summary.ts";

/** What a loop counts. */
export const nounOf: Readonly<Record<LoopSummary["mode"], string>> = {
  repeat: "iteration",
  "for-each": "item",
  attempts: "attempt",
};

/** `fix · iteration 2 of 8`; of a for-each `each · item 2 of 5 (words)`. */
export function iterationTitle(loop: LoopSummary | undefined, node: string, number: number): string {
  const noun = nounOf[loop?.mode ?? "repeat"];
  const most = loop?.most === undefined ? "" : ` of ${Math.max(loop.most, number)}`;
  const item = loop && toArray(loop.rows).find((row) => row.number === number)?.item;
  return `${node} · ${noun} ${number}${most}${item === undefined ? "" : ` (${shortened(item, 60)})`}`;
}

/** Where in a run a path is, for people: `fix · iteration 2 of 8`, and what comes below it. */
export function titleOf(path: string, loops: readonly LoopSummary[]): string {
  const address = path.replace(/[?!][^/]*$/, "");
  const [, loopPath, number, rest = ""] = /^(.*)#(\d+)((?:\/.*)?)$/.exec(address) ?? [];
  if (loopPath === undefined) return address.slice(1);
  const loop = loops.find((one) => one.path === loopPath);
  const node = loop?.node ?? loopPath.slice(1);
  const title =
    number === "0" ? `${node} · before the first iteration` : iterationTitle(loop, node, Number(number));
  return rest === "" ? title : `${title} · ${rest.slice(1)}`;
}
