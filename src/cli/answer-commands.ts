import type { Command } from "commander";
import { answers, decisionOf } from "../decisions/answer.ts";
import { runCommand } from "../decisions/commands/table.ts";
import { type Done, kept } from "./common-options.ts";

/** The commands by which people answer a run, and write to it. */
export function addAnswers(program: Command, done: Done): void {
  for (const name of answers) {
    const command = kept(program, `${name} [run-id] [text...]`, runCommand(name).atTerminal ?? "");
    if (decisionOf(name) !== undefined)
      command.option("--gate <path>", "the gate to answer, if several are open");
    command.action(async (runId: string | undefined, text: string[], options) => {
      const args = runId === undefined ? [] : [runId, ...text];
      done(await (await import("./answer.ts")).answerCommand(name, args, options));
    });
  }
  kept(program, "tell [words...]", "send a message to a step")
    .usage("[options] [run-id] <step> <text...>")
    .action(async (words: string[], options) => {
      done(await (await import("./answer.ts")).tellCommand(words, options));
    });
}
