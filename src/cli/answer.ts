import { decideCommand } from "./decision-command.ts";
import type { ExitCode } from "./exit.ts";
import { exit, UsageError } from "./exit.ts";
import { findCancellable, findRecipient, findWaiting } from "./find-run.ts";
import { askAtGate } from "./gate-prompt.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";

type AnswerOptions = CommonOptions & { readonly gate?: string };

/** `approve`, `reject`, `cancel`: answers the named run, or the only one that fits. */
export async function answerCommand(
  name: "approve" | "reject" | "cancel",
  args: readonly string[],
  options: AnswerOptions,
): Promise<ExitCode> {
  const { store } = await findLocation(options);
  const find = name === "cancel" ? findCancellable : findWaiting;
  const { runId, rest } = await find(store, args);
  const code = await decideCommand({ name, runId, text: rest.join(" "), options });
  return await askAtGate(code, runId, options);
}

/** `tell`: adds a message to the next prompt of a step. */
export async function tellCommand(args: readonly string[], options: CommonOptions): Promise<ExitCode> {
  if (args.length < 2)
    throw new UsageError('tell needs a step and a text, as in until-green tell fix "keep the old name"');
  const { store } = await findLocation(options);
  const { runId, rest } = await findRecipient(store, args);
  const [step = "", ...text] = rest;
  const code = await decideCommand({ name: "tell", runId, step, text: text.join(" "), options });
  if (code === exit.ok && !options.quiet)
    say(`recorded; ${step} of ${runId} gets the message with its next prompt\n`);
  return code;
}
