import { test } from "vitest";
import type { ToolUse } from "../parts/model-server.ts";
import { type Case, type Limits, limits } from "./limits.ts";
import { key } from "./stages.ts";

/** How a real agent is brought to behave as the cases need it. */
export interface CliStage {
  readonly name: keyof typeof limits;
  readonly model: string;
  /** The secret that holds its key. */
  readonly secret: string;
  /** Beside HOME, PATH and the key: how it finds the model server. */
  environment(url: string): Readonly<Record<string, string>>;
  /** Its own tools, as its model calls them. */
  writes(file: string, text: string): ToolUse;
  runs(command: string): ToolUse;
  /** How its model calls a tool of ours. */
  ours(tool: string): string;
  /** The tool, and its arguments, by which it hands in a result; the final message itself by default. */
  submits?(result: unknown): ToolUse;
  /** Its files, below the artifacts, that take what its model said some time after it did it. */
  readonly savesLate?: string;
  /** How long it may be silent while it starts, in milliseconds; 4,000 by default. */
  readonly quietMs?: number;
}

/** A slow start is no failure: nothing waits that long but for a program that hangs. */
export const patienceFor = ({ quietMs = usualQuietMs }: CliStage) => Math.max(120_000, 10 * quietMs);

export const usualQuietMs = 4_000;

/** A test of a case; skipped, with the reason, where the program cannot keep it. */
export const givenFor = (stage: CliStage) => (one: Case, title: string, body: () => Promise<void>) => {
  const { except }: Limits = limits[stage.name];
  const reason = except[one];
  // Some take their time over fifty megabytes.
  const timeout = one === "fifty megabytes" ? 600_000 : patienceFor(stage);
  if (reason === undefined) test(title, { timeout }, body);
  else test.skip(`${title} (not ${stage.name}: ${reason})`, body);
};

/** The environment of its program. */
export const settingsFor = ({ secret, environment }: CliStage, url: string, home: string) => ({
  PATH: process.env["PATH"],
  HOME: home,
  GITHUB_TOKEN: "ghs_never",
  [secret]: key,
  ...environment(url),
});
