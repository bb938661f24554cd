import type { Summary } from "../status/run-summary.ts";

/** The exact commands that answer a gate, on the command line or in a comment. */
export function gateAnswers(
  summary: Summary,
  gate: Summary["gates"][number],
  by: "terminal" | "comment",
): readonly string[] {
  const isOldest = gate.path === summary.gates[0]?.path;
  const call = by === "terminal" ? "until-green" : "/workflow";
  const text = (placeholder: string) => (by === "terminal" ? `"${placeholder}"` : `<${placeholder}>`);
  // Without `--gate`, the oldest gate is answered.
  const which = by === "terminal" && !isOldest ? ` --gate '${gate.path}'` : "";
  return [
    `${call} approve ${summary.run} ${text("what to do next")}${which}`,
    `${call} approve ${summary.run}${which}`,
    `${call} reject ${summary.run} ${text("why")}${which}`,
    `${call} cancel ${summary.run}`,
  ];
}
