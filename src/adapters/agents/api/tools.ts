import { readdir, readFile } from "node:fs/promises";
import type { AgentContext } from "../../../ports/agent.ts";
import { headAndTail } from "../../capture.ts";
import { agentEnvironment, type Environment } from "../../environment.ts";
import { type ProcessEnd, runProcess } from "../../process.ts";
import { placeInside, writeInside } from "../workspace-file.ts";

/** A tool with which the agent works in the checkout. */
export interface WorkTool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  /** The words for the model; what is thrown is an error it is told of. */
  use(given: Given, workshop: Workshop): Promise<string>;
}

interface Property {
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

type Given = Readonly<Record<string, unknown>>;

/** Where the tools work. */
export interface Workshop {
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Hears that something goes on. */
  onSound(): void;
}

const text = (description: string): Property => ({ type: "string", description });
const count = (description: string): Property => ({ type: "integer", description });

const path = text("A path within the workspace.");

/** The tools by name: paths are kept within the workspace, the shell sees no keys. */
export const workTools: Readonly<Record<string, WorkTool>> = {
  read: {
    description: "Reads a text file, with a number before each line.",
    properties: { path, offset: count("The first line, from 1."), limit: count("How many lines.") },
    required: ["path"],
    async use(given, { context }) {
      const file = await placeInside(context.workspace, wordOf(given, "path"));
      const lines = (await readFile(file, "utf8")).split("\n");
      const first = Math.max(1, numberOf(given, "offset") ?? 1);
      const shown = lines.slice(first - 1, first - 1 + (numberOf(given, "limit") ?? 2000));
      return cut(shown.map((line, index) => `${first + index}\t${line}`).join("\n"));
    },
  },
  write: {
    description: "Writes a file, in place of what is there.",
    properties: { path, content: text("All of the file.") },
    required: ["path", "content"],
    async use(given, { context }) {
      const name = wordOf(given, "path");
      await writeInside(context.workspace, name, wordOf(given, "content", ""));
      return `wrote ${name}`;
    },
  },
  edit: {
    description: "Replaces a text in a file. The old text must be there exactly once, unless `all` is true.",
    properties: {
      path,
      old: text("The text to replace, blanks and all."),
      new: text("What stands there then."),
      all: { type: "boolean", description: "Replace every occurrence." },
    },
    required: ["path", "old", "new"],
    async use(given, { context }) {
      const name = wordOf(given, "path");
      const old = wordOf(given, "old");
      const before = await readFile(await placeInside(context.workspace, name), "utf8");
      const parts = before.split(old);
      if (parts.length === 1) throw new Error(`the old text is not in ${name}: read the file again`);
      if (parts.length > 2 && given["all"] !== true)
        throw new Error(
          `the old text is ${parts.length - 1} times in ${name}: give more of what is around it`,
        );
      await writeInside(context.workspace, name, parts.join(wordOf(given, "new", "")));
      return `replaced ${parts.length - 1} in ${name}`;
    },
  },
  list: {
    description: "Lists a folder.",
    properties: { path },
    required: [],
    async use(given, { context }) {
      const folder = await placeInside(context.workspace, wordOf(given, "path", "."));
      const entries = await readdir(folder, { withFileTypes: true });
      const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
      const more = names.length > 500 ? [`… and ${names.length - 500} more`] : [];
      return [...names.slice(0, 500), ...more].join("\n") || "(empty)";
    },
  },
  grep: {
    description: "Finds the lines that match an extended regular expression.",
    properties: { pattern: text("The expression."), path },
    required: ["pattern"],
    async use(given, workshop) {
      const place = await placeInside(workshop.context.workspace, wordOf(given, "path", "."));
      const skipped = [".git", "node_modules"].map((name) => `--exclude-dir=${name}`);
      const args = ["-rnIE", ...skipped, "-e", wordOf(given, "pattern"), "--", place];
      const end = await run({ command: "grep", args, seconds: 60 }, workshop);
      if (end.exitCode === 1) return "no line matches";
      if (end.exitCode !== 0) throw new Error(end.tail.trim() || "grep failed");
      return cut(end.stdout.replaceAll(`${workshop.context.workspace}/`, ""));
    },
  },
  bash: {
    description: "Runs a bash command in the workspace and answers what it prints, with its exit code.",
    properties: { command: text("Bash source."), timeout_seconds: count("600 unless told.") },
    required: ["command"],
    async use(given, workshop) {
      const seconds = Math.max(1, numberOf(given, "timeout_seconds") ?? 600);
      const end = await run({ command: "bash", args: ["-c", wordOf(given, "command")], seconds }, workshop);
      const how =
        end.how === "timed-out"
          ? `ended after ${seconds} s`
          : `exit code ${end.exitCode ?? end.signal ?? "?"}`;
      return `${end.output}\n(${how})`;
    },
  },
};

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly seconds: number;
}

async function run(
  { command, args, seconds }: Command,
  { context, environment, signal, onSound }: Workshop,
): Promise<ProcessEnd & { readonly output: string }> {
  const output = headAndTail(mostOutput);
  const end = await runProcess({
    command,
    args,
    cwd: context.workspace,
    env: agentEnvironment(environment, context.env),
    timeoutMs: seconds * 1000,
    signal,
    reap: true,
    onText(said) {
      onSound();
      output.push(Buffer.from(said));
    },
  });
  if (end.how === "aborted") throw signal.reason;
  if (end.how === "not-started") throw new Error(end.fault?.message ?? `${command} could not be started`);
  return { ...end, output: output.text() };
}

/** What one call may answer: a model reads all of it, again at each step. */
const mostOutput = 32 * 1024;

function cut(answer: string): string {
  const kept = headAndTail(mostOutput);
  kept.push(Buffer.from(answer));
  return kept.text();
}

function wordOf(given: Given, name: string, otherwise?: string): string {
  const value = given[name];
  if (typeof value === "string" && (value !== "" || otherwise !== undefined)) return value;
  if (otherwise !== undefined && value === undefined) return otherwise;
  throw new Error(`\`${name}\` must be a text`);
}

const numberOf = (given: Given, name: string): number | undefined =>
  typeof given[name] === "number" ? given[name] : undefined;
