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

/** A loop's name; that of a loop inside another one begins with the place it is in. */
const loopTitle = ({ path, node }: LoopSummary, loops: readonly LoopSummary[]): string =>
  `${outerTitle(path, loops)}${node}`;

/** The same loops, each with its title in the place of its name, for a page that shows one below the other. */
export const titledLoops = (loops: readonly LoopSummary[]): readonly LoopSummary[] =>
  loops.map((loop) => ({ ...loop, node: loopTitle(loop, loops) }));

const outerTitle = (loopPath: string, loops: readonly LoopSummary[]): string =>
  loopPath.includes("#") ? `${titleOf(loopPath.slice(0, loopPath.lastIndexOf("/")), loops)} · ` : "";

/** A node for people: by the label of its events, and inside a loop by its iteration or item. */
export const nodeTitle = (
  { path, label }: { readonly path: string; readonly label: string },
  loops: readonly LoopSummary[],
): string => (path.includes("#") ? titleOf(path, loops) : label);

/** Where in a run a path is, for people: `fix · iteration 2 of 8`, and what comes below it. */
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
