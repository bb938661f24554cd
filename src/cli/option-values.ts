import { statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { splitArguments } from "../agents/split-arguments.ts";
import { parseDuration } from "../expressions/duration.ts";
import { isolationModes } from "../ports/isolation.ts";
import { faultOfHost, hostsIn, type NetworkRule } from "../ports/network.ts";
import { faultOfPlace } from "../ports/places.ts";
import { UsageError } from "./exit.ts";

/** A number above 0. */
export const positive = (text: string): number => {
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number))
    throw new InvalidArgumentError("It must be a number above 0.");
  return number;
};

/** A whole number above 0. */
export const wholePositive = (text: string): number => {
  const number = positive(text);
  if (!Number.isInteger(number)) throw new InvalidArgumentError("It must be a whole number.");
  return number;
};

/** The number of an iteration, as an argument. */
export const iterationNumber = (text: string): number => {
  if (/^(?:0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the number of an iteration: until-green diff RUN 2, or 2 4`);
};

/** A duration with its unit, in milliseconds. */
export const time = (text: string): number => {
  const ms = /^\d+$/.test(text.trim()) ? undefined : parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("It must be a time, such as 30m or 90s.");
  return ms;
};

/** `--patience`, of every command that waits for a model provider. */
export const patience = () =>
  new Option("--patience <time>", "how long to wait for an unavailable model provider").argParser(time);

/** Collects the values of a repeatable option. */
export const gather = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Hosts that programs may reach. */
const hosts = (text: string): NetworkRule => {
  const rule = hostsIn(text);
  const fault = rule.map(faultOfHost).find((one) => one !== undefined);
  if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  return rule;
};

/** `--agent-args`, for every command that starts agents. */
export const agentArgs = () =>
  new Option("--agent-args <args>", "further arguments for agent programs").argParser(
    (text: string): readonly string[] => {
      const args = splitArguments(text);
      if (args === undefined)
        throw new InvalidArgumentError("It has an unmatched quote or a trailing backslash.");
      return args;
    },
  );

/** The isolation of programs. */
export const isolation = () =>
  new Option("--isolation <mode>", "the isolation of programs").choices(isolationModes);
/** The hosts that programs may reach. */
export const network = () =>
  new Option("--network <hosts>", "the hosts that programs may reach").argParser(hosts);

/** Further paths that programs may read. */
export const shown = () =>
  new Option("--show <path>", "a path that programs may read; may be repeated").argParser(place);
/** Further paths that programs may write. */
export const written = () =>
  new Option("--write <path>", "a path that programs may write; may be repeated").argParser(place);

function place(text: string, before: readonly string[] = []): readonly string[] {
  const fault = faultOfPlace(text);
  if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  return [...before, text];
}

/** Throws `UsageError` if `--cwd` is not a folder. */
export function assertFolder(cwd = "."): void {
  if (isFolder(cwd)) return;
  const here = "the current folder no longer exists: change to another one, or use --cwd DIR";
  throw new UsageError(cwd === "." ? here : `--cwd ${cwd}: there is no such folder`);
}

function isFolder(path: string): boolean {
  try {
    // In a deleted folder, no path can be resolved.
    return statSync(resolve(path)).isDirectory();
  } catch {
    return false;
  }
}
