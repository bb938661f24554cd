import { z } from "zod";

/** Runs one bash script in the workspace and says how it went. A failing script is an answer, not an error. */
export interface Shell {
  run(request: ShellRequest, context: ProcessContext): Promise<ShellAnswer>;
}

export interface ShellRequest {
  /** What it is for: a node's work, a loop's check, a loop's metric. */
  readonly role: "node" | "check" | "metric";
  /** Bash source. Values never stand in it; they come by `env`. */
  readonly script: string;
  /** Variables the script reads, any size and content; what the kernel cannot pass goes by file. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly cwd?: string;
}

/** What the runner lends a process for one answer. */
export interface ProcessContext {
  readonly signal: AbortSignal;
  readonly workspace: string;
  readonly artifacts: string;
  /** Ids of the run, the node and the iteration. */
  readonly env: Readonly<Record<string, string>>;
  onText(text: string): void;
}

export const shellAnswer = z.strictObject({
  /** `undefined` when the process never exited by itself. */
  exitCode: z.int().exactOptional(),
  /** The signal that ended bash itself, e.g. `SIGKILL`; a child's death comes as exit code 128 + n. */
  signal: z.string().exactOptional(),
  timedOut: z.boolean().exactOptional(),
  /** Bash could not even parse the script. */
  syntaxError: z.boolean().exactOptional(),
  /** Standard output; at most 256 KiB, head and tail kept. */
  stdout: z.string(),
  /** The last 16 KiB of standard output and error as they came. */
  tail: z.string(),
});

export type ShellAnswer = z.infer<typeof shellAnswer>;
