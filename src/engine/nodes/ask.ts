import { isObject } from "../../expr/output.ts";
import { renderText } from "../../expr/render.ts";
import type { AgentCall, Budget, NamedAgent } from "../../plan/plan.ts";
import type { AgentAnswer, AgentRequest } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { timeIsUp, timeLeft } from "../deadline.ts";
import type { RunFacts } from "../event.ts";
import { type Flow, ledger, need, rest, tell, Unmet } from "../flow.ts";
import type { Here } from "../here.ts";
import { type Ledger, type Message, overdrawn, overspent, unbound } from "../ledger.ts";
import { besides } from "../path.ts";
import { scopeAt } from "../scope.ts";
import { promptOfCoordinator } from "./coordinator.ts";
import { withResult } from "./result.ts";
import { withSections } from "./sections.ts";

interface Question {
  readonly node: string;
  readonly session?: string | undefined;
}

/** Asks an agent to work, as the call, the named agents and the run say. */
export function* askAgent(call: AgentCall, here: Here, { node, session }: Question): Flow<AgentAnswer> {
  const prompt = renderText(call.prompt, scopeAt(here));
  const { takeMessages } = yield* ledger();
  const label = here.label(here.path);
  const messages = takeMessages([node, label]);
  for (const { from, text } of messages) {
    yield* tell({ type: "message.delivered", from, to: label, text });
  }
  const calls = here.frame?.calls;
  const own = [prompt, ...messages.map(letterText), calls?.notes.get(node) ?? []].flat().join("\n\n");
  const { conversation } = call;
  const answer = yield* askWith(here.path, here, {
    agent: call.agent,
    model: call.model,
    role: call.role ?? "worker",
    node,
    iteration: here.iteration,
    prompt: withSections(call, own, here),
    instructions: undefined,
    schema: call.schema,
    session: conversation === undefined ? session : here.shared?.sessions.get(conversation),
    idleMs: call.idleMs,
    timeoutMs: call.timeoutMs,
    ...(calls?.completes === undefined ? {} : { completes: calls.completes }),
    ...(calls?.fails === undefined ? {} : { fails: calls.fails }),
  });
  yield* askCoordinator(answer, here);
  const kept = call.result === "required" ? withResult(answer, call.schema) : answer;
  const next = forNextIteration(kept);
  if (next !== "") calls?.noted.set(node, next);
  for (const signal of kept.signals ?? []) calls?.given.add(signal);
  if (conversation !== undefined && answer.session !== undefined) {
    here.shared?.sessions.set(conversation, answer.session);
  }
  return kept;
}

const letterText = ({ from, text }: Message) => `Message from ${from}:\n${text}`;

/** What an answer leaves for the same node's next prompt. */
function forNextIteration({ note, left = [] }: AgentAnswer): string {
  const own = note === undefined ? [] : [`Your note from the iteration before:\n${note}`];
  if (left.length === 0) return own.join("");
  const ended = `When your last turn was over, these still ran, and they were ended: wait for what you start before you end your turn.\n${left.map((command) => `- ${command}`).join("\n")}`;
  return [...own, ended].join("\n\n");
}

/**
 * Shows the coordinator what a step sent it. What it answers goes on its way before the step ends; one that cannot answer
 * is told of, and keeps nobody from working.
 */
function* askCoordinator({ sent = [] }: AgentAnswer, here: Here): Flow<void> {
  const { coordinator } = here.plan;
  const letters = sent.filter(({ to }) => to === "coordinator");
  if (coordinator === undefined || letters.length === 0) return;
  const path = besides(here.path, "coordinator");
  const prompt = promptOfCoordinator(letters, here);
  try {
    yield* askWith(path, here, { ...plainRequest, agent: coordinator, node: "coordinator", prompt });
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    yield* tell({ type: "notice", code: "COORDINATOR_FAILED", message: error.message, path });
  }
}

const plainRequest = {
  model: undefined,
  role: "worker",
  iteration: undefined,
  instructions: undefined,
  schema: undefined,
  session: undefined,
  idleMs: 30 * 60_000,
  timeoutMs: undefined,
} as const;

/** Puts a request to an agent once the budget allows it, completed by what its named agent says. */
export function* askWith(path: string, here: Here, request: AgentRequest): Flow<AgentAnswer> {
  const { budget, facts } = here;
  const books = yield* afford(here, whoseOf(request));
  const left = yield* timeLeft(here);
  if (left <= 0) throw new Unmet("timeout", timeIsUp);
  const most = facts.reserves ? Math.min(left, minutesLeft(budget, books)) : left;
  const ask = resolve({ ...request, timeoutMs: sooner(request.timeoutMs, most) }, here);
  if (facts.reserves) reserve(path, here, { request, books });
  try {
    const answer = yield* need("agent", path, { ask, workspace: here.workspace });
    const lacks = unbound(budget, answer.usage);
    const message = `${ask.agent ?? "the agent"} does not say ${lacks}: limit its iterations and minutes`;
    if (lacks !== undefined && books.isNew(message))
      yield* tell({ type: "notice", code: "USAGE_UNKNOWN", message, path });
    return answer;
  } catch (error) {
    const isLate = facts.reserves && error instanceof Unmet && error.reason === "timeout";
    const spent = isLate ? overspent(budget, books) : undefined;
    throw spent === undefined ? error : new Unmet("budget", spent);
  }
}

/** Waits for the calls under way where only they keep another from beginning; throws where the budget does not cover it. */
function* afford({ budget, facts }: Here, node: string): Flow<Ledger> {
  const books = yield* ledger();
  if (!facts.reserves) {
    const over = overspent(budget, books);
    if (over !== undefined) throw new Unmet("budget", over);
    return books;
  }
  const { purse } = books;
  for (;;) {
    const isBeside = facts.waits === true && purse.underWay() > 0;
    const expected = isBeside ? purse.share(node, budget) : purse.expected(node);
    const over = overdrawn(budget, books, { node, expected });
    if (over === undefined) return books;
    if (!isBeside || overspent(budget, books) !== undefined) throw new Unmet("budget", over);
    yield* rest();
  }
}

interface Reserving {
  readonly request: AgentRequest;
  readonly books: Ledger;
}

function reserve(path: string, { budget, facts }: Here, { request, books: { purse } }: Reserving): void {
  const node = whoseOf(request);
  purse.reserve({ path, node, amount: facts.waits ? purse.share(node, budget) : undefined });
}

/** Whose calls cost alike: a node's worker, or its judge. */
const whoseOf = ({ node, role }: AgentRequest) => (role === "worker" ? node : `${node}'s ${role}`);

const minutesLeft = ({ minutes }: Budget, { activeMs }: Ledger) =>
  minutes === undefined ? Infinity : Math.max(1, minutes * 60_000 - activeMs);

const sooner = (ms: number | undefined, left: number) => (left < (ms ?? Infinity) ? left : ms);

function resolve(request: AgentRequest, { plan, facts }: Here): AgentRequest {
  const named: NamedAgent | undefined =
    request.agent !== undefined && Object.hasOwn(plan.agents, request.agent)
      ? plan.agents[request.agent]
      : undefined;
  const fromFile = named === undefined ? request.agent : named.agent;
  const chosen = facts.agent ?? fromFile ?? plan.agent ?? takenFor(request, facts);
  // A model named for another agent than the one the user chose means nothing to that one.
  const model = facts.agent === undefined ? (request.model ?? named?.model ?? plan.model) : undefined;
  // What a node asks of its worker comes first; a judge knows best in which form it judges.
  const [schema, other] =
    request.role === "judge" && asksDone(named?.schema)
      ? [named?.schema, request.schema]
      : [request.schema, named?.schema];
  return {
    ...request,
    agent: chosen,
    model: facts.model ?? model,
    instructions: named?.instructions ?? request.instructions,
    schema: schema ?? other,
  };
}

const takenFor = ({ role }: AgentRequest, { default_agent, default_judge }: RunFacts) =>
  role === "worker" ? default_agent : (default_judge ?? default_agent);

/** A judge's own schema serves where it has the field that judges. */
const asksDone = (schema: Json | undefined): boolean =>
  isObject(schema) && isObject(schema["properties"]) && Object.hasOwn(schema["properties"], "done");
