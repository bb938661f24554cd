import {
  type AgentAnswer,
  type AgentContext,
  type AgentRequest,
  addUsage,
  type Usage,
} from "../../ports/agent.ts";
import type { Environment } from "../../processes/environment.ts";
import {
  goOnPrompt,
  goOnWriting,
  mergeAnswers,
  openTurnRecord,
  reasonToContinue,
  type TurnRecord,
} from "../turn-record.ts";
import type { CliDefinition } from "./cli-definition.ts";
import { type Conversation, continueTurn, openConversation } from "./conversation.ts";
import { answerOf, faultOf, type ProgramEnd } from "./parse-answer.ts";
import type { FoundProgram } from "./program.ts";
import { type Rates, totalsAfter, usageOfCall } from "./usage.ts";

/** One prompt to a command-line agent. */
export interface AskedTurn {
  readonly cli: CliDefinition;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly program: FoundProgram;
  readonly rates: Rates;
}

/** One start of the program within a turn. */
export interface TurnPart {
  readonly conversation: Conversation;
  readonly prompt: string;
  /**
   * Notes that its model has answered again in this conversation, and the usage of this part so far; returns the usage
   * of the turn so far.
   */
  advanced(
    session: string,
    progress: {
      readonly partial: Partial<AgentAnswer>;
      readonly took: Usage | undefined;
      readonly steps: readonly string[];
    },
  ): Usage | undefined;
}

/** The results of a turn's earlier parts. */
interface Past {
  readonly text: string;
  readonly partial: Partial<AgentAnswer>;
  readonly spent: Usage | undefined;
  /** The tools that were called, with their main argument. */
  readonly steps: readonly string[];
  readonly notices: NonNullable<AgentAnswer["notices"]>;
  /** The repairs made so far in this turn. */
  readonly repairs: readonly Repair[];
}

const repairKinds = ["lost", "length", "context", "crash"] as const;
type Repair = (typeof repairKinds)[number];

/** Maximum repairs of each kind in one turn. */
const mostOften: Readonly<Record<Repair, number>> = { lost: 1, context: 1, crash: 1, length: 3 };

type Start<A extends AskedTurn> = (call: A, part: TurnPart) => Promise<ProgramEnd>;

interface State {
  readonly part: TurnPart;
  readonly past: Past;
}

/**
 * Runs one turn of the program, in several parts if it is interrupted: each continues where the last one ended. A
 * part that failed temporarily is recorded for the next attempt.
 */
export async function runTurn<A extends AskedTurn>(call: A, start: Start<A>) {
  const record = openTurnRecord(call.cli.name, call.request, call.context);
  let state = await firstPart(call, record);
  for (;;) {
    const { part, past } = state;
    const ended = joined(await start(call, part), past);
    const repair = call.context.signal.aborted ? undefined : repairFor(call.cli, ended, state);
    const next = repair && (await nextPart(call, { repair, ended, state, record }));
    if (next === undefined) {
      const context = { ...call, conversation: part.conversation, before: past };
      return { answer: await settled(answerOf(ended, context), { call: call, ended, part, record }), ended };
    }
    state = next;
  }
}

/** Continues the interrupted turn, if the program knows it; else starts one. */
async function firstPart(call: AskedTurn, record: TurnRecord): Promise<State> {
  const { cutOff } = record;
  const conversation = cutOff && (await continueTurn(call, cutOff));
  if (conversation === undefined) {
    const repeated = `${call.cli.name} cannot continue the turn that was cut off: it starts again, and the turn's cost is lost`;
    const notices = cutOff === undefined ? [] : [{ code: "TURN_REPEATED", message: repeated }];
    const part = partOf(await openConversation(call), { prompt: call.request.prompt, record });
    return { part, past: { text: "", partial: {}, spent: undefined, steps: [], notices, repairs: [] } };
  }
  const { because, told, steps = [] } = cutOff ?? { because: "", told: {} };
  const message = `${call.cli.name} continues its turn where it was cut off (${because})`;
  const notices = [{ code: "TURN_CONTINUED", message }];
  const part = partOf(conversation, { prompt: goOnPrompt(because, steps), record, steps });
  return { part, past: { text: "", partial: told, spent: undefined, steps, notices, repairs: [] } };
}

interface Beginning {
  readonly prompt: string;
  readonly record: TurnRecord;
  /** The usage of the earlier parts. */
  readonly before?: Usage | undefined;
  /** Their tool calls. */
  readonly steps?: readonly string[];
}

const partOf = (
  conversation: Conversation,
  { prompt, record, before, steps: earlier = [] }: Beginning,
): TurnPart => ({
  conversation,
  prompt,
  advanced(session, { partial, took, steps }) {
    const spent = took === undefined ? before : addUsage(took, before);
    const because = "the process was ended";
    record.write({ session, because, told: partial, steps: [...earlier, ...steps], ...(spent && { spent }) });
    return spent;
  },
});

/** The result of a part, combined with the earlier ones. */
const joined = (ended: ProgramEnd, { text, partial, steps }: Past): ProgramEnd => ({
  ...ended,
  steps: [...steps, ...ended.steps],
  result: { ...ended.result, text: text + ended.result.text },
  byTool: mergeAnswers(partial, ended.byTool),
});

/** The kind of repair that can complete a turn that ended abnormally. */
function repairFor(
  cli: CliDefinition,
  ended: ProgramEnd,
  { part: { conversation }, past }: State,
): Repair | undefined {
  const fault = faultOf(ended);
  const advanced = (ended.answered ?? 0) > 0;
  const fits: Readonly<Record<Repair, boolean>> = {
    lost: conversation.isContinued && !advanced && saysLost(cli, ended),
    length: ended.isCutShort && advanced,
    context: fault === "context" && (conversation.isContinued || advanced),
    crash: fault === "crash" && advanced && ended.end.how === "exited",
  };
  const repair = repairKinds.find((one) => fits[one]);
  const often = past.repairs.filter((one) => one === repair).length;
  return repair === undefined || often >= mostOften[repair] ? undefined : repair;
}

/** True if a program does not know the conversation that it should continue. */
const saysLost = ({ lostSession }: CliDefinition, { result, end }: ProgramEnd): boolean =>
  !result.ended && lostSession?.test(`${end.stderr}\n${result.trouble?.message}`) === true;

interface Interrupted {
  readonly repair: Repair;
  readonly ended: ProgramEnd;
  readonly state: State;
  readonly record: TurnRecord;
}

/** The part that continues an interrupted one; `undefined` if the program does not know it. */
async function nextPart(call: AskedTurn, interrupted: Interrupted): Promise<State | undefined> {
  const { repair, ended, state, record } = interrupted;
  const { part, past } = state;
  const { result } = ended;
  const context = { ...call, conversation: part.conversation };
  const took = usageOfCall(ended, context);
  const spent = took === undefined ? past.spent : addUsage(took, past.spent);
  const { steps } = ended;
  const after = { ...past, spent, steps, partial: ended.byTool, repairs: [...past.repairs, repair] };
  const again = (conversation: Conversation, notices: Past["notices"] = []): State => ({
    part: partOf(conversation, { prompt: call.request.prompt, record, before: spent, steps }),
    past: { ...after, text: "", notices: [...past.notices, ...notices] },
  });
  if (repair === "lost")
    return again(await openConversation({ ...call, isUnknown: !part.conversation.isCutOff }));
  if (repair === "context") {
    const full = `the conversation was longer than ${call.cli.name}'s model takes: a new one continues from a digest`;
    const conversation = await openConversation({ ...call, overflowed: { text: result.text, steps } });
    return again(conversation, [{ code: "CONTEXT_FULL", message: full }]);
  }
  const session = result.session ?? part.conversation.id;
  const conversation = await continueTurn(call, { session, totals: totalsAfter(result.usage, call.cli) });
  if (conversation === undefined) return undefined;
  const isCut = repair === "length";
  const prompt = isCut ? goOnWriting : goOnPrompt("the program was ended", steps);
  return {
    part: partOf(conversation, { prompt, record, before: spent, steps }),
    past: { ...after, text: isCut ? result.text : "" },
  };
}

interface Settling {
  readonly call: AskedTurn;
  readonly ended: ProgramEnd;
  readonly part: TurnPart;
  readonly record: TurnRecord;
}

/**
 * Records a turn that failed temporarily or was stopped, so that it can continue; a completed turn needs no record.
 */
async function settled(
  answer: Promise<AgentAnswer>,
  { call, ended, part, record }: Settling,
): Promise<AgentAnswer> {
  try {
    const over = await answer;
    record.remove();
    return over;
  } catch (error) {
    const because = reasonToContinue(error);
    const advanced = part.conversation.isCutOff || (ended.answered ?? 0) > 0;
    if (because !== undefined && advanced) {
      const totals = totalsAfter(ended.result.usage, call.cli);
      const session = ended.result.session ?? part.conversation.id;
      const steps = [...ended.steps];
      record.write({ session, because, told: ended.byTool, steps, ...(totals && { totals }) });
    } else record.remove();
    throw error;
  }
}
