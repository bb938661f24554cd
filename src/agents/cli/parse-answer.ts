import { stripVTControlCharacters } from "node:util";
import { isFixable, isPassing, type ProviderError } from "../../key-proxy/provider-errors.ts";
import {
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentErrorDetails,
  type AgentFault,
  type AgentRequest,
  addUsage,
  type Usage,
} from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { boundedAnswer } from "../../processes/bounded-output.ts";
import { exitCodeText, killedAdvice, killedBy } from "../../processes/killed.ts";
import type { ProcessEnd } from "../../processes/process.ts";
import { findJson } from "../json-answer.ts";
import type { CliDefinition, CliResult } from "./cli-definition.ts";
import type { Conversation } from "./conversation.ts";
import { type Rates, totalsAfter, usageOfCall } from "./usage.ts";

/** The result of one start of a program: its process, its events, and what our key proxy saw. */
export interface ProgramEnd {
  readonly end: ProcessEnd;
  readonly result: CliResult;
  /** The tools it called, with their main argument. */
  readonly steps: readonly string[];
  /** Its reports by loop tools. */
  readonly byTool: Partial<AgentAnswer>;
  readonly counted: Usage | undefined;
  readonly between: ProviderError | undefined;
  /** How many requests its model answered successfully; `undefined` if they bypassed the key proxy. */
  readonly answered: number | undefined;
  /** True if its model's last answer was cut off at the maximum length. */
  readonly isCutShort: boolean;
  /** The host that owed its model's answer when it ended; `undefined` if none did. */
  readonly silentHost: string | undefined;
  /** The variable that contained its key. */
  readonly secret: string | undefined;
  /** Its temporary key. */
  readonly ownKey: string | undefined;
}

interface AnswerContext {
  readonly cli: CliDefinition;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly conversation: Conversation;
  readonly rates: Rates;
  /** The usage of the turn's earlier parts, and their notices. */
  readonly before: { readonly spent: Usage | undefined; readonly notices: Notices };
}

type Notices = NonNullable<AgentAnswer["notices"]>;

/** The answer of a call, with its conversation saved; throws an `AgentError`, or the reason of an abort. */
export async function answerOf(ended: ProgramEnd, call: AnswerContext): Promise<AgentAnswer> {
  const { cli, request, conversation } = call;
  const { result, end } = ended;
  const part = usageOfCall(ended, call);
  const usage = part === undefined ? call.before.spent : addUsage(part, call.before.spent);
  if (call.context.signal.aborted) {
    if (usage !== undefined) call.context.onSpent?.(usage);
    throw call.context.signal.reason;
  }
  const how = outcome(ended, call, usage);
  const text = boundedAnswer(result.text);
  const session = result.session ?? conversation.id;
  const totals = totalsAfter(result.usage, cli);
  const unkept = await conversation.keep({ id: session, answered: text, totals });
  const notices = [...call.before.notices, ...noticesOf(call, unkept)];
  const json =
    request.schema === undefined
      ? undefined
      : (ended.byTool.result ?? result.result ?? findJson(text, request.role));
  return {
    text,
    session,
    ...ended.byTool,
    ...defined({ result: json, usage }),
    ...(how === "idle" ? { idle: true } : {}),
    ...(end.left === undefined ? {} : { left: [...end.left] }),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

function brokenOff(end: ProcessEnd, cli: CliDefinition): string {
  const signal = killedBy(end);
  const how = signal === undefined ? manner(end) : `was killed (${signal})`;
  const advice = signal === undefined ? hint(cli) : `. ${killedAdvice(signal)}`;
  return `${cli.name} ${how} before its turn was over${lastWords(end)}${advice}`;
}

/** Returns if the program ended its turn or fell silent; throws for anything else. */
function outcome(
  ended: ProgramEnd,
  { cli, request }: AnswerContext,
  usage: Usage | undefined,
): "ended" | "idle" {
  const { end, result } = ended;
  const fail = (fault: AgentFault, message: string, more: AgentErrorDetails = {}) =>
    new AgentError(fault, message, { ...more, ...defined({ usage }) });
  const error = troubleOf(ended) ?? overlooked(ended);
  switch (end.how) {
    case "not-started":
      throw fail("missing", end.fault?.message ?? `${cli.name} could not be started`);
    case "timed-out":
      throw fail("timeout", `${cli.name} gave no answer within ${request.timeoutMs} ms${soFar(ended)}`);
    case "idle":
      // It was waiting for its model, or to ask again, so its silence does not count.
      if (!result.ended && ended.silentHost !== undefined)
        throw fail("network", `${cli.name}: ${ended.silentHost} sent nothing for ${request.idleMs} ms`);
      if (error !== undefined && isPassing(error)) break;
      if (result.text.trim() !== "") return "idle";
      throw fail("idle", `${cli.name} said nothing for ${request.idleMs} ms${soFar(ended)}`);
    case "aborted":
    case "exited":
      break;
  }
  if (error !== undefined) {
    const { fault, retryAfterMs } = error;
    const message = sentenceOf(error, cli, ended);
    throw fail(fault, message, { ...defined({ retryAfterMs }), isFixable: isFixable(error) });
  }
  if (!result.ended) throw fail("crash", brokenOff(end, cli), { isFixable: killedBy(end) !== undefined });
  if (isEmpty(ended)) throw fail("empty", `${cli.name} ended its turn without a message`);
  return "ended";
}

const isEmpty = ({ result, byTool }: ProgramEnd) =>
  result.text.trim() === "" && result.result === undefined && Object.keys(byTool).length === 0;

/** Some programs take an empty answer, or a refusal, for the end of their turn. */
function overlooked(ended: ProgramEnd): ProviderError | undefined {
  const { between, byTool } = ended;
  if (between?.isRefusal) return Object.keys(byTool).length === 0 ? between : undefined;
  return between !== undefined && isPassing(between) && isEmpty(ended) ? between : undefined;
}

/** The class of the error that ended a turn early; `undefined` if there was none, or if it was stopped. */
export function faultOf(ended: ProgramEnd): AgentFault | undefined {
  const { end, result } = ended;
  if (end.how !== "exited" && end.how !== "aborted") return undefined;
  return troubleOf(ended)?.fault ?? (result.ended ? undefined : "crash");
}

/** The key proxy knows more than the program's messages, except for errors that only the program sees. */
function troubleOf({ result, between }: ProgramEnd): ProviderError | undefined {
  if (result.ended) return undefined;
  const { trouble } = result;
  if (trouble === undefined) return between;
  return between === undefined || ownFaults.has(trouble.fault) ? trouble : between;
}

const ownFaults: ReadonlySet<AgentFault> = new Set(["max-turns", "context", "idle"]);

const sentenceOf = ({ fault, message }: ProviderError, cli: CliDefinition, ended: ProgramEnd) =>
  `${cli.name}: ${clipped(message)}${advice(fault, ended)}${fault === "crash" ? hint(cli) : ""}`;

/** The key proxy's own message already names the secret. */
const advice = (fault: AgentFault, { secret, between }: ProgramEnd) =>
  fault !== "auth" || between !== undefined || secret === undefined ? "" : `; check the secret ${secret}`;

const manner = ({ exitCode, signal }: ProcessEnd) =>
  exitCode === undefined ? `was ended by ${signal}` : `exited with ${exitCodeText(exitCode)}`;

const hint = ({ program: { name, from, below } }: CliDefinition) =>
  `. See whether ${name} works by itself here; until-green is made for version ${from} and later, below ${below}`;

/** The end of its stderr, or else of its output, for people. */
function lastWords({ stderr, tail }: ProcessEnd): string {
  const text = (stderr.trim() === "" ? tail : stderr).trim();
  return text === "" ? "" : `: ${clipped(text)}`;
}

/** Shortened, without colours. */
function clipped(text: string): string {
  const plain = stripVTControlCharacters(text);
  return plain.length > 500 ? `…${plain.slice(-500)}` : plain;
}

function soFar({ result, end, between }: ProgramEnd): string {
  if (between !== undefined) return `; the model's last error: ${between.message}`;
  const text = result.text.trim();
  if (text === "") return end.stderr.trim() === "" ? "" : lastWords(end);
  return `; it had said: ${clipped(text)}`;
}

function noticesOf({ cli, conversation }: AnswerContext, unkept: string | undefined) {
  const lost =
    conversation.before === "" ? "it is not on this machine" : "it continues in a new one, from a digest";
  return [
    ...(conversation.isLost
      ? [{ code: "SESSION_LOST", message: `${cli.name} no longer knows the conversation: ${lost}` }]
      : []),
    ...(unkept === undefined ? [] : [{ code: "SESSION_STAYS", message: unkept }]),
  ];
}
