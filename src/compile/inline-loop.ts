import { defined } from "../ports/defined.ts";
import type { WorkflowFile } from "./compile.ts";

/** A loop given by command-line options instead of a file. */
export interface InlineLoop {
  /** Default: to make `untilBash` pass. */
  readonly prompt?: string | undefined;
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
    prompt: prompt ?? defaultPrompt(untilBash),
    ...defined({ until, until_bash: untilBash }),
    max_iterations: maxIterations,
    ...(freshContext ? { fresh_context: true } : {}),
    ...defined({ protect }),
    // Without a task of its own, there is nothing to do once the check passes.
    ...(prompt === undefined ? { check: { baseline: true } } : {}),
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

/** A check with a `$` is not quoted: the prompt's variables would be replaced in it. */
function defaultPrompt(check = ""): string {
  const name = /^[^\n$`]+$/.test(check.trim()) ? `\`${check.trim()}\`` : "The check";
  return `${name} fails. Pick one failure and fix its cause in the source. Do not change the tests. The last output:\n$LOOP_CHECK_OUTPUT`;
}
