import { decideCommand } from "./decision-command.ts";
import type { ExitCode } from "./exit.ts";
import { exit } from "./exit.ts";
import { findRun, findWaiting } from "./find-run.ts";
import { askAtGate } from "./gate-prompt.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";

type AnswerOptions = CommonOptions & { readonly gate?: string };

/** `approve`, `reject`, `cancel`: answers the named run, or the only one that waits. */
export async function answerCommand(
  name: "approve" | "reject" | "cancel",
  words: readonly string[],
  options: AnswerOptions,
): Promise<ExitCode> {
  const { store } = await findLocation(options);
  const { runId, text } = await findWaiting(store, words);
  return await askAtGate(await decideCommand({ name, runId, text, options }), runId, options);
}

interface Message {
  readonly run: string;
  readonly step: string;
  readonly text: string;
}

/** `tell`: adds a message to the next prompt of a step. */
export async function tellCommand({ run, step, text }: Message, options: CommonOptions): Promise<ExitCode> {
  const { store } = await findLocation(options);
  const runId = await findRun(store, run);
  const code = await decideCommand({ name: "tell", runId, step, text, options });
  if (code === exit.ok && !options.quiet)
    say(`recorded; ${step} of ${runId} gets the message with its next prompt\n`);
  return code;
}
