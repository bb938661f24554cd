import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { isPassing } from "../key-proxy/provider-errors.ts";
import {
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentRequest,
  agentAnswer,
  turnsFolder,
  usage,
} from "../ports/agent.ts";
import { makeFolder } from "../processes/make-folder.ts";
import { readRegularFile } from "../processes/regular-file.ts";
import { replaceFile } from "../processes/replace-file.ts";

/** Why a turn that failed with this error can continue later; `undefined` if it cannot. */
export function reasonToContinue(error: unknown): string | undefined {
  if (!(error instanceof AgentError)) return "the run was stopped";
  const { fault, isFixable } = error;
  return isFixable || isPassing({ fault, message: "" }) ? fault : undefined;
}

/** A turn that was interrupted on this machine: what the next attempt needs to continue it. */
const cutOffTurn = z.object({
  /** The prompt. */
  prompt: z.string(),
  /** The conversation it was in. */
  session: z.string(),
  /** Number of messages before the turn, if we store the conversation ourselves. */
  from: z.number().exactOptional(),
  /** Why it was cut off, for people. */
  because: z.string(),
  /** Its usage, if nobody has reported it because the process was killed. */
  spent: usage.exactOptional(),
  /** The conversation's totals as reported by the program. */
  totals: usage.exactOptional(),
  /** Its tool calls so far, if the program stores the conversation. */
  steps: z.array(z.string()).exactOptional(),
  /** The agent's reports by loop tools. */
  told: agentAnswer.pick({ signals: true, result: true, sent: true, read: true, note: true }),
});

export type CutOffTurn = z.infer<typeof cutOffTurn>;

/** The record of a turn that was cut off, so that no work is paid for twice. */
export interface TurnRecord {
  readonly cutOff: CutOffTurn | undefined;
  write(turn: Omit<CutOffTurn, "prompt">): void;
  remove(): void;
}

/**
 * The record of one agent call, identified by its path and prompt, ignoring a restart note before the prompt. It
 * stays on this machine, like the changes in the workspace; on another machine the turn starts again. Usage of a
 * killed process is reported when the record is opened.
 */
export function openTurnRecord(agent: string, request: AgentRequest, context: AgentContext): TurnRecord {
  const identity = [agent, context.env["UNTIL_GREEN_PATH"] ?? "", request.session ?? ""];
  const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
  // Names that start with a dot are not copied to other machines.
  const file = join(context.artifacts, turnsFolder, `${name}.json`);
  const cutOff = readTurn(file);
  const isSame = cutOff !== undefined && request.prompt.endsWith(cutOff.prompt);
  if (cutOff?.spent !== undefined) {
    const { spent, ...reported } = cutOff;
    context.onSpent?.(spent);
    save(file, reported);
  }
  return {
    cutOff: isSame ? cutOff : undefined,
    write: (turn) => save(file, { ...turn, prompt: isSame ? cutOff.prompt : request.prompt }),
    remove: () => rmSync(file, { force: true }),
  };
}

function save(file: string, turn: CutOffTurn): void {
  makeFolder(dirname(file), 0o700);
  replaceFile(file, JSON.stringify(turn), 0o600);
}

function readTurn(file: string): CutOffTurn | undefined {
  try {
    const text = readRegularFile(file);
    return text === undefined ? undefined : cutOffTurn.parse(JSON.parse(text));
  } catch {
    return undefined; // torn by a kill: the turn starts again
  }
}

/** The loop tool calls of all parts of one turn; the first result counts. */
export function mergeAnswers(one: Partial<AgentAnswer>, other: Partial<AgentAnswer>): Partial<AgentAnswer> {
  const joined = (name: "signals" | "sent" | "read") => {
    const both = [...(one[name] ?? []), ...(other[name] ?? [])];
    return both.length === 0 ? {} : { [name]: name === "signals" ? [...new Set(both)] : both };
  };
  const note = [one.note, other.note].filter((text) => text !== undefined).join("\n\n");
  return {
    ...other,
    ...(one.result === undefined ? {} : { result: one.result }),
    ...joined("signals"),
    ...joined("sent"),
    ...joined("read"),
    ...(note === "" ? {} : { note }),
  };
}

/**
 * The prompt after a turn was cut off. A killed program may not have saved its last steps, so they are listed and not
 * done twice.
 */
export function goOnPrompt(reason: string, steps: readonly string[] = []): string {
  const kept = `You were cut off in the middle of your turn (${reason}). Everything you said and did so far is kept, also in the workspace. Continue the same task from there; do not start again.`;
  if (steps.length === 0) return kept;
  const last = steps.slice(-mostSteps).map((step) => `> ${step.replaceAll("\n", " ")}`);
  return `${kept}\n\nYour last steps were these, even if some are missing above; see what they left before you repeat one:\n${last.join("\n")}`;
}

/** How many steps a program may have done without saving them. */
const mostSteps = 5;

/** The prompt for a model whose last message reached its maximum length. */
export const goOnWriting =
  "Your last message was cut off at its length limit. Continue exactly where it ended, without repeating anything.";
