import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";

/** The outputs of the action; every run of it sets every one, empty where nothing is known. */
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
] as const;

export type Outputs = Readonly<Record<(typeof outputNames)[number], string>>;

/** Sets all outputs of the step by the runner's file for them. */
export function setOutputs(file: string, outputs: Outputs): void {
  appendFileSync(file, outputNames.map((name) => assignment(name, outputs[name])).join(""));
}

/** One output as the runner reads it, whatever lines its value holds. */
export function assignment(name: string, value: string): string {
  const end = `end-${randomUUID()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

/** A runner throws away a job summary above 1 MiB. */
const mostSummary = 1_048_576 - 1_024;

/** Adds a page of Markdown to the job summary, cut where it is too long. */
export function addSummary(file: string, markdown: string): void {
  appendFileSync(file, `${cutBytes(markdown, mostSummary)}\n`);
}

const cutSign = "\n\n… the rest did not fit …\n";

/** At most so many bytes of UTF-8: whole characters, the end left out with a sign that it was. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const room = Math.max(0, most - Buffer.byteLength(cutSign));
  // A character cut in two at the end is left out: streaming, the decoder waits for the rest of it.
  return new TextDecoder().decode(bytes.subarray(0, room), { stream: true }) + cutSign;
}
