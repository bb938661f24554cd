import { type Command, Option } from "commander";
import { examplesOf } from "./examples.ts";
import type { ExitCode } from "./exit.ts";

/** Gets the exit code of a command. */
export type Done = (code: ExitCode) => void;

/** Adds a command with the options that all commands share. */
export function common(program: Command, usage: string, description: string): Command {
  const command = program.command(usage).description(description).exitOverride();
  const examples = examplesOf(command.name());
  if (examples.length > 0) command.addHelpText("after", ["\nExamples:", ...examples].join("\n  "));
  return command
    .option("--json", "print events to standard output, one JSON object per line")
    .option("--quiet", "show no progress")
    .option("--cwd <dir>", "the folder to work in");
}

/** In a command's help, list its own options before the shared ones. */
export function ownFirst(command: Command): Option[] {
  const shared = ["json", "quiet", "cwd", "store"];
  const isShared = (option: Option) => shared.includes(option.attributeName());
  const help = new Option("-h, --help", "show this help");
  const own = command.options.filter((option) => !option.hidden && !isShared(option));
  return [...own, ...command.options.filter(isShared), help];
}

/** Adds a command that reads stored runs. */
export const kept = (program: Command, usage: string, description: string) =>
  common(program, usage, description).option(
    "--store <store>",
    "where runs are kept: memory, dir:PATH, git[:REMOTE] or bundle:FILE",
  );

/** The first format is the default. */
export const formats = (choices: readonly string[]) =>
  new Option("--format <format>", "the format of the output").choices(choices).default(choices[0]);
