import { type Command, type GeneralCommand, groups, type RunCommandRow } from "./command.ts";
import * as rows from "./index.ts";

type Row = (typeof rows)[keyof typeof rows];

type AboutRun = Extract<Row, { readonly about: "run" }>;

/** The names of the commands about one run. */
export type RunCommandName = AboutRun["name"];

/** Those that people may also answer at a gate. */
export type Answer = Extract<AboutRun, { readonly group: "answer" }>["name"];

/** A command that is about no run, or about all of them, with its words. */
export type GeneralWords = Words<Extract<Row, { readonly about: "all" }>>;

type Words<R> =
  R extends GeneralCommand<infer Name, infer Arguments> ? { readonly kind: Name } & Arguments : never;

/** All commands, in the order in which they are listed. */
export const commands: readonly Command[] = Object.values<Command>(rows).toSorted(
  (a, b) => groups.indexOf(a.group) - groups.indexOf(b.group),
);

const byName = new Map(commands.map((command) => [command.name, command]));

/** The command with this name. */
export const commandNamed = (name: string): Command | undefined => byName.get(name);

/** The row of a command about one run. */
export function runCommand(name: RunCommandName): RunCommandRow {
  const command = byName.get(name);
  if (command?.about !== "run") throw new Error(`${name} is no command about a run`);
  return command;
}

/** The rows of the commands about one run. */
export const runCommands: readonly RunCommandRow[] = commands.filter((command) => command.about === "run");

/** What people type after `/workflow`, with placeholders. */
export const usageOf = ({ name, takes, about }: Command): string =>
  [name, about === "run" ? "[run-id]" : "", takes].filter((part) => part !== "").join(" ");
