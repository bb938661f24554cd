import { z } from "zod";
import type { Walled } from "./isolation.ts";
import { testInventory } from "./tests.ts";
import type { CheckGuard } from "./workspace.ts";

/** Runs one bash script in the workspace and reports the result. A failing script is an answer, not an error. */
export interface Shell {
  run(request: ShellRequest, context: ProcessContext): Promise<ShellAnswer>;
}

export interface ShellRequest {
  /** Its purpose: a node's work, a loop's check, or a loop's metric. */
  readonly role: "node" | "check" | "metric";
  /** Bash source. Values never appear in it; they arrive through `env`. */
  readonly script: string;
  /** Runs it with `-eo pipefail`. */
  readonly strict?: true;
  /** Variables for the script, of any size and content; those too large for the kernel are passed in a file. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
  readonly cwd?: string;
  /**
   * Runs it in a fresh clone instead, with an empty HOME, and without programs on PATH that changed since the run
   * started.
   */
  readonly clean?: CleanClone;
}

/** The source of a fresh clone. */
export interface CleanClone {
  /** A snapshot of this run. */
  readonly commit: string;
  /** The first snapshot of the loop. */
  readonly base: string;
  readonly guard: CheckGuard;
  /** Bash that prepares the clone for the check; by default derived from the files of the checkout. */
  readonly setup?: string;
  /** Copies what git ignores, and submodules, if nothing has touched them since before the first agent. */
  readonly untouched?: true;
  /** No agent has started yet: what the clone installs and caches is kept for the next one. */
  readonly keep?: true;
}

/** What the runner provides for one call. */
export interface ProcessContext extends Walled {
  readonly signal: AbortSignal;
  readonly workspace: string;
  readonly artifacts: string;
  /** Ids of the run, the node and the iteration. */
  readonly env: Readonly<Record<string, string>>;
  onText(text: string): void;
}

export const shellAnswer = z.strictObject({
  /** `undefined` if the process did not exit by itself. */
  exitCode: z.int().exactOptional(),
  /** The signal that killed bash itself, e.g. `SIGKILL`; a child's death shows as exit code 128 + n. */
  signal: z.string().exactOptional(),
  timedOut: z.boolean().exactOptional(),
  /** Bash could not parse the script. */
  syntaxError: z.boolean().exactOptional(),
  /** Standard output; at most 256 KiB, head and tail kept. */
  stdout: z.string(),
  /**
   * Stdout and stderr as a terminal shows them, interleaved in order: at most 16 KiB, the end and a part of the start.
   */
  tail: z.string(),
  /** The tests that ran, if the check's output shows them. */
  tests: testInventory.exactOptional(),
  /** Only for a fresh clone. */
  clean: z
    .strictObject({
      /** The command that prepared it; absent if none was needed. */
      setup: z.string().exactOptional(),
      /** True if that command failed and the check did not run: the answer is the command's. */
      failed: z.literal(true).exactOptional(),
      /** Total duration in milliseconds. */
      ms: z.number().exactOptional(),
      /** Untouched files that git ignores or that are in submodules, and were copied (at most 20). */
      copied: z.array(z.string()).exactOptional(),
      /** True if it used what an earlier clone had installed and cached. */
      warm: z.literal(true).exactOptional(),
      /** True if the check left files behind in the clone, other than caches: somebody may use them. */
      leaves: z.literal(true).exactOptional(),
      /** Programs on PATH that are new or changed since the run started, and were excluded (at most 20). */
      leftOut: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
});

export type ShellAnswer = z.infer<typeof shellAnswer>;
