import type { WorkflowFile } from "./compile.ts";

/** A loop said in options instead of a file. */
export interface InlineLoop {
  readonly prompt: string;
  readonly until?: string | undefined;
  readonly untilBash?: string | undefined;
  readonly maxIterations?: number | undefined;
  readonly freshContext?: boolean | undefined;
  readonly protect?: readonly string[] | undefined;
}

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
  return { file, text: JSON.stringify({ name: "inline", nodes: [{ id: "loop", loop }] }) };
}
