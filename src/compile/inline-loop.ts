import type { WorkflowFile } from "./compile.ts";

/** A loop given by command-line options instead of a file. */
export interface InlineLoop {
  readonly prompt: string;
  readonly until?: string | undefined;
  readonly untilBash?: string | undefined;
  readonly maxIterations?: number | undefined;
  readonly freshContext?: boolean | undefined;
  readonly protect?: readonly string[] | undefined;
}

/** In characters: a shorter text cannot exceed any limit of the parser. */
const longest = 50_000;

/** Writes the workflow file of an inline loop; `file` is its name in diagnostics. */
export function inlineLoop(options: InlineLoop, file: string): WorkflowFile {
  const { prompt, until, untilBash, maxIterations = 10, freshContext, protect } = options;
  const loop = {
    prompt,
    ...(until === undefined ? {} : { until }),
    ...(untilBash === undefined ? {} : { until_bash: untilBash }),
    max_iterations: maxIterations,
    ...(freshContext ? { fresh_context: true } : {}),
    ...(protect === undefined ? {} : { protect }),
  };
  const value = { name: "inline", nodes: [{ id: "loop", loop }] };
  const text = JSON.stringify(value);
  // A long text, or one with characters that YAML forbids, goes through the parser.
  return {
    file,
    text,
    ...(text.length < longest && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(text) && { value }),
  };
}
