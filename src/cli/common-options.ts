import { type Command, Option } from "commander";
import { examplesOf } from "./examples.ts";

/** A command with the options all commands share. */
export function common(program: Command, usage: string, description: string): Command {
  const command = program.command(usage).description(description).exitOverride();
  const examples = examplesOf(command.name());
  if (examples.length > 0) command.addHelpText("after", ["\nExamples:", ...examples].join("\n  "));
  return command
    .option("--json", "print events to standard output, one JSON object per line")
    .option("--quiet", "show no progress")
    .option("--cwd <dir>", "the folder to work in");
}

/** In the help of a command its own options precede those that all commands share. */
export function ownFirst(command: Command): Option[] {
  const shared = ["json", "quiet", "cwd", "store"];
  const isShared = (option: Option) => shared.includes(option.attributeName());
  const help = new Option("-h, --help", "show this help");
  const own = command.options.filter((option) => !option.hidden && !isShared(option));
  return [...own, ...command.options.filter(isShared), help];
}

/** A command that looks for runs where they are kept. */
export const kept = (program: Command, usage: string, description: string) =>
  common(program, usage, description).option(
    "--store <store>",
    "where runs are kept: memory, dir:PATH, git[:REMOTE] or bundle:FILE",
  );

/** The first of the formats is the default. */
export const formats = (choices: readonly string[]) =>
  new Option("--format <format>", "the format of the output").choices(choices).default(choices[0]);
