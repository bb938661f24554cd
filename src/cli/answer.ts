import type { Answer } from "../decisions/commands/table.ts";
import { EmptyLogError } from "../engine/replay.ts";
import { decideCommand } from "./decision-command.ts";
import type { ExitCode } from "./exit.ts";
import { exit, UsageError } from "./exit.ts";
import { answerable, findAnswered, findRecipient } from "./find-run.ts";
import { askAtGate } from "./gate-prompt.ts";
import type { CommonOptions } from "./options.ts";
import { say } from "./print.ts";
import { findLocation } from "./run-environment.ts";
import { storeFlags } from "./store-flags.ts";

type AnswerOptions = CommonOptions & { readonly gate?: string };

/** `approve`, `reject`, `cancel`, `feedback`: answers the named run, or the only one that fits. */
export async function answerCommand(
  name: Answer,
  args: readonly string[],
  options: AnswerOptions,
): Promise<ExitCode> {
  const { store } = await findLocation(options);
  const { runId, rest } = await findAnswered(store, args, name);
  try {
    const code = await decideCommand({ name, runId, text: rest.join(" "), options });
    return await askAtGate(code, runId, options);
  } catch (error) {
    if (!(error instanceof EmptyLogError)) throw error;
    const others = await answerable(store, name);
    const commands = others.map((id) => `until-green ${name} ${id}${storeFlags(options)}`);
    if (commands.length === 0) throw error;
    throw new UsageError(
      `${error.message}. If you mean another run, put your text after its id: ${commands.join(" or ")}`,
    );
  }
}

export const tellUsage = 'tell needs a step and a text, as in until-green tell fix "keep the old name"';

/** `tell`: adds a message to the next prompt of a step. */
export async function tellCommand(args: readonly string[], options: CommonOptions): Promise<ExitCode> {
  if (args.length < 2) throw new UsageError(tellUsage);
  const { store } = await findLocation(options);
  const { runId, rest } = await findRecipient(store, args);
  const [step = "", ...text] = rest;
  const code = await decideCommand({ name: "tell", runId, step, text: text.join(" "), options });
  if (code === exit.ok && !options.quiet)
    say(`recorded; ${step} of ${runId} gets the message with its next prompt\n`);
  return code;
}
