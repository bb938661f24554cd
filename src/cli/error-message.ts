import { CommanderError } from "commander";
import { AgentError } from "../ports/agent.ts";
import { diskFault, fileFault, withoutRun } from "../ports/disk-fault.ts";
import { messageOf } from "../ports/message-of.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { PrintError, printNotice, say } from "./print.ts";

/** Errors whose message is complete, with their exit codes. */
const plain: Readonly<Record<string, ExitCode>> = {
  UsageError: exit.usage,
  MissingFileError: exit.usage,
  EmptyLogError: exit.usage,
  EndedRunError: exit.usage,
  RunExistsError: exit.usage,
  BadStoreNameError: exit.usage,
  StaleLogError: exit.lost,
  RunLockedError: exit.lost,
  RunTakenOverError: exit.lost,
  LateError: exit.lost,
  BrokenLogError: exit.failed,
  LogMismatchError: exit.failed,
  EnvironmentError: exit.failed,
  RemoteError: exit.failed,
};

/** Reports an error, to people on stderr and to programs as a notice; returns the exit code. */
export function printError(thrown: unknown, { json }: { readonly json: boolean }): ExitCode {
  const error = diskFault(thrown) ?? fileFault(thrown) ?? thrown;
  // A command that knows a run to resume has added how.
  const message = withoutRun(messageOf(error));
  const name = error instanceof Error ? error.name : "Error";
  const known = plain[name] ?? (error instanceof AgentError ? exit.usage : exit.failed);
  say(`until-green: ${message}\n`);
  if (json && !(error instanceof PrintError)) printNotice({ code: codeOf(name), message });
  return known;
}

/** Codes of notices are public, so they do not follow the names of error classes. */
const codes: Readonly<Record<string, string>> = {
  RunExistsError: "TAKEN_RUN",
  RunLockedError: "RUN_HELD",
  RunTakenOverError: "LOST_RUN",
  LogMismatchError: "DIVERGED_LOG",
  EnvironmentError: "BROKEN_WORLD",
};

const codeOf = (name: string) =>
  codes[name] ??
  (name
    .replace(/Error$/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toUpperCase() ||
    "ERROR");

/** Converts a command-line error of commander into ours. */
export function asUsageError(error: unknown, args: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error;
  const message = error.message.replace(/^error: /, "");
  return new UsageError(
    `${message.replace(/\n\(Did you mean (.*)\?\)$/s, "; did you mean $1?")}${hintOf(error, args)}`,
  );
}

/** Where to look, if the library suggests nothing. */
function hintOf({ code, message }: CommanderError, [command]: readonly string[]): string {
  if (code === "commander.unknownCommand" && !message.includes("?"))
    return ": until-green --help lists all commands";
  const isNamed = code === "commander.unknownOption" && !message.includes("?");
  return isNamed || code === "commander.missingArgument" ? `: see until-green ${command} --help` : "";
}
