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

/** A loop's title; that of an inner loop begins with the place it is in. */
const loopTitle = ({ path, node }: LoopSummary, loops: readonly LoopSummary[]): string =>
  `${outerTitle(path, loops)}${node}`;

/** The loops with their titles as names, for a page that lists them one after another. */
export const titledLoops = (loops: readonly LoopSummary[]): readonly LoopSummary[] =>
  loops.map((loop) => ({ ...loop, node: loopTitle(loop, loops) }));

const outerTitle = (loopPath: string, loops: readonly LoopSummary[]): string =>
  loopPath.includes("#") ? `${titleOf(loopPath.slice(0, loopPath.lastIndexOf("/")), loops)} · ` : "";

/** A node's title: the label of its events or, inside a loop, its iteration or item. */
export const nodeTitle = (
  { path, label }: { readonly path: string; readonly label: string },
  loops: readonly LoopSummary[],
): string => (path.includes("#") ? titleOf(path, loops) : label);

/** The place that a path addresses, for people: `fix · iteration 2 of 8`, and the rest of the path. */
export function titleOf(path: string, loops: readonly LoopSummary[]): string {
  const address = path.replace(/[?!][^/]*$/, "");
  const [, loopPath, number, rest = ""] = /^(.*)#(\d+)((?:\/.*)?)$/.exec(address) ?? [];
  if (loopPath === undefined) return address.slice(1);
  const loop = loops.find((one) => one.path === loopPath);
  const node = `${outerTitle(loopPath, loops)}${loop?.node ?? loopPath.slice(loopPath.includes("#") ? loopPath.lastIndexOf("/") + 1 : 1)}`;
  const title =
    number === "0" ? `${node} · before the first iteration` : iterationTitle(loop, node, Number(number));
  return rest === "" ? title : `${title} · ${rest.slice(1)}`;
}
