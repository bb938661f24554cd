import { setOutput, summary } from "@actions/core";

/** The action's outputs; all are always set, empty if unknown. */
export const outputNames = [
  "conclusion",
  "stop-reason",
  "run-id",
  "iterations",
  "final-message",
  "output-file",
  "report-file",
  "head-sha",
  "branch",
  "pull-request-number",
  "pull-request-url",
  "comment-id",
  "cost-usd",
  "tokens-total",
  "duration-seconds",
  "state-ref",
  "matrices",
  "jobs",
  "max-parallel",
  "shared-budget",
  "max-cost-usd",
  "max-tokens",
  "needs-review",
  "review-reasons",
] as const;

export type Outputs = Readonly<Partial<Record<(typeof outputNames)[number], string>>>;

/** Sets all outputs of the step. */
export function setOutputs(outputs: Outputs): void {
  for (const name of outputNames) setOutput(name, outputs[name] ?? "");
}

/** The runner discards a job summary above 1 MiB. */
const mostSummary = 1_048_576 - 1_024;

/** Adds a page of Markdown to the job summary, truncated if too long. */
export async function addSummary(markdown: string): Promise<void> {
  await summary.addRaw(cutBytes(markdown, mostSummary), true).write();
}

const cutSign = "\n\n… the rest did not fit …\n";

/** At most this many bytes of UTF-8, in whole characters, with a mark if cut. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const room = Math.max(0, most - Buffer.byteLength(cutSign));
  // In streaming mode, the decoder holds back an incomplete last character.
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + cutSign;
}
