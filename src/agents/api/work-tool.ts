import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { type AgentContext, outputsFolder } from "../../ports/agent.ts";
import { headAndTail, headAndTailOf } from "../../processes/bounded-output.ts";
import { agentEnvironment, type Environment } from "../../processes/environment.ts";
import { makeOwnFolder } from "../../processes/make-folder.ts";
import { type ProcessEnd, runProcess } from "../../processes/process.ts";
import { terminalText } from "../../processes/terminal-text.ts";
import type { Background } from "./background.ts";

/** A tool with which the agent works in the checkout. */
export interface WorkTool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  /** It changes nothing, so it can run in parallel with other calls. */
  readonly isReading?: true;
  /** The result for the model; an exception becomes an error message for it. */
  use(input: ToolArguments, workshop: Workshop): Promise<string | Image>;
}

/** An image as a tool's result, in base64. */
export interface Image {
  readonly image: string;
  readonly mediaType: string;
}

type Property =
  | { readonly type: "string" | "integer" | "boolean"; readonly description: string }
  | {
      readonly type: "array";
      readonly description: string;
      readonly items: object;
      readonly minItems?: number;
    };

export type ToolArguments = Readonly<Record<string, unknown>>;

/** The place in which the tools work. */
export interface Workshop {
  readonly context: Pick<AgentContext, "workspace" | "artifacts" | "env" | "wrap">;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly background: Background;
  /** Call it for every sign of activity. */
  onSound(): void;
}

export const text = (description: string) => ({ type: "string", description }) as const;
export const count = (description: string) => ({ type: "integer", description }) as const;
export const yes = (description: string) => ({ type: "boolean", description }) as const;
export const path = text("A path within the workspace.");

/** Maximum size of a tool's result in characters: the model reads it again at each step. */
export const mostOutput = 32 * 1024;

/** Head and tail of a long text. */
export const cut = (answer: string): string => headAndTailOf(answer, mostOutput);

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly seconds?: number;
  /** Receives the output while it is printed. */
  onText?(text: string): void;
}

/**
 * Runs a program in the workspace; `output` contains stdout and stderr as a terminal shows them and, if it is long, the
 * path of the file with all of it.
 */
export async function run(
  { command, args, seconds, onText }: Command,
  { context, environment, signal, onSound }: Workshop,
): Promise<ProcessEnd & { readonly output: string }> {
  const whole = openOverflow(context.artifacts);
  const terminal = terminalText(whole.push);
  const end = await runProcess({
    command,
    args,
    cwd: context.workspace,
    env: agentEnvironment(environment, context.env),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
    signal,
    reap: true,
    wrap: context.wrap,
    onText(text) {
      onSound();
      terminal.push(text);
      onText?.(text);
    },
  });
  terminal.end();
  const output = await whole.text();
  if (end.how === "aborted") throw signal.reason;
  if (end.how === "not-started") throw new Error(end.fault?.message ?? `${command} could not be started`);
  return { ...end, output };
}

let outputs = 0;

/** Keeps the head and tail of an output; longer output also goes to a file, up to 64 MiB. */
function openOverflow(artifacts: string) {
  const kept = headAndTail(mostOutput);
  let early: string[] | undefined = [];
  let file: { readonly path: string; readonly stream: ReturnType<typeof createWriteStream> } | undefined;
  return {
    push(text: string) {
      const bytes = Buffer.from(text);
      kept.push(bytes);
      if (file === undefined && kept.total() <= mostOutput) early?.push(text);
      else if (file === undefined) {
        const folder = makeOwnFolder(join(artifacts, outputsFolder));
        const path = join(folder, `${process.pid}-${++outputs}.txt`);
        file = {
          path,
          stream: createWriteStream(path, { flags: "wx", mode: 0o600 }).on("error", () => undefined),
        };
        file.stream.write(`${early?.join("") ?? ""}${text}`);
        early = undefined;
      } else if (kept.total() < 64 * 1024 * 1024) file.stream.write(text);
    },
    async text() {
      if (file === undefined) return kept.text();
      const { stream, path } = file;
      await new Promise<void>((resolve) => stream.once("close", resolve).end());
      return `${kept.text()}\n(all of it is in ${path})`;
    },
  };
}

/** A text argument of a call; throws a sentence for the model if it is not text. */
export function wordOf(input: ToolArguments, name: string, otherwise?: string): string {
  const value = input[name];
  if (typeof value === "string" && (value !== "" || otherwise !== undefined)) return value;
  if (otherwise !== undefined && value === undefined) return otherwise;
  throw new Error(`\`${name}\` must be a text`);
}

export const numberOf = (input: ToolArguments, name: string): number | undefined =>
  typeof input[name] === "number" ? input[name] : undefined;

/** How much of a list to show: the call's own value, else the usual one. */
export function mostOf(input: ToolArguments, usual: number): number {
  const limit = numberOf(input, "limit") ?? usual;
  return limit > 0 ? limit : usual;
}

/** The start of a list, and how many entries are left out. */
export function listed(
  all: readonly string[],
  { most, advice }: { readonly most: number; readonly advice: string },
): string {
  const more = all.length > most ? [`… and ${all.length - most} more: ${advice}`] : [];
  return [...all.slice(0, most), ...more].join("\n");
}
