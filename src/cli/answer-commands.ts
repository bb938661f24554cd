import type { Command } from "commander";
import { type Answer, answers } from "../decisions/answer.ts";
import { type Done, kept } from "./common-options.ts";

const decisions: Readonly<Record<Answer, string>> = {
  approve: "approve the open gate; the next iteration gets the text as feedback",
  reject: "reject the open gate; the run ends as failed",
  cancel: "cancel a run that is running or paused",
  feedback: "ask for another iteration, which gets the text",
};

/** The commands by which people answer a run, and write to it. */
export function addAnswers(program: Command, done: Done): void {
  for (const name of answers) {
    const command = kept(program, `${name} [run-id] [text...]`, decisions[name]);
    if (name !== "cancel") command.option("--gate <path>", "the gate to answer, if several are open");
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
