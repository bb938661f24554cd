import { isLoopGate } from "../engine/path.ts";
import { shortRunId } from "../ports/short-run-id.ts";
import type { Summary } from "../status/run-summary.ts";

/** The title of the answers other than a plain approval. */
export const otherAnswers = (path: string) =>
  `With ${isLoopGate(path) ? "feedback" : "a text"}, reject or cancel`;

/** The exact commands that answer a gate, on the command line or in a comment. */
export function gateAnswers(
  summary: Summary,
  gate: Summary["gates"][number],
  by: "terminal" | "comment",
): readonly string[] {
  const isOldest = gate.path === summary.gates[0]?.path;
  const call = by === "terminal" ? "until-green" : "/workflow";
  // On a phone, a longer command would scroll.
  const run = by === "terminal" ? summary.run : shortRunId(summary.run);
  const words = isLoopGate(gate.path) ? '"what to do next"' : '"a text"';
  const [text, why] = by === "terminal" ? [words, '"why"'] : ["<text>", "<why>"];
  // Without `--gate`, the oldest gate is answered.
  const path = by === "terminal" ? `'${gate.path}'` : gate.path;
  const which = isOldest ? run : `${run} --gate ${path}`;
  return [
    `${call} approve ${which} ${text}`,
    `${call} approve ${which}`,
    `${call} reject ${which} ${why}`,
    `${call} cancel ${run}`,
  ];
}
