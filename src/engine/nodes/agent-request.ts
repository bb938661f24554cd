import { renderText } from "../../expressions/render.ts";
import type { AgentCall, Budget } from "../../plan/plan.ts";
import { type AgentAnswer, type AgentRequest, budgetTokens } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { modelRequest } from "../../stops/model-request.ts";
import { dataBlock } from "../../stops/untrusted-block.ts";
import { issueText, seriesText } from "../background-text.ts";
import type { Amount } from "../budget-reservations.ts";
import { timeIsUp, timeLeft } from "../deadline.ts";
import type { ExecutionContext, LoopToolCalls } from "../execution-context.ts";
import {
  EffectFailedError,
  emit,
  getRunTotals,
  type Operation,
  perform,
  waitForAgentCall,
} from "../operation.ts";
import { attemptOf, sideEffectPath } from "../path.ts";
import {
  budgetNotices,
  exhaustedBudget,
  insufficientBudget,
  minBudget,
  type QueuedMessage,
  type RunTotals,
} from "../run-totals.ts";
import { scopeAt } from "../scope.ts";
import { promptOfCoordinator } from "./coordinator.ts";
import { withSections } from "./prompt-sections.ts";
import { ofAttempt, resolveAgent } from "./resolve-agent.ts";
import { promptForResult, resultComplaint, withResult } from "./structured-result.ts";

interface Question {
  readonly node: string;
  readonly session?: string | undefined;
}

/** Calls an agent for its work, combining the call, the named agents and the run's settings. */
export function* askAgent(
  written: AgentCall,
  context: ExecutionContext,
  { node, session }: Question,
): Operation<AgentAnswer> {
  const call = ofAttempt(written, context);
  const visibleContext = { ...context, message: shownMessage(context), inputs: shownInputs(context) };
  const prompt = renderText(call.prompt, scopeAt(visibleContext));
  const { takeMessages } = yield* getRunTotals();
  const label = context.label(context.path);
  const messages = takeMessages([node, label]);
  for (const { from, text } of messages) {
    yield* emit({ type: "message.delivered", from, to: label, text });
  }
  const calls = context.frame?.calls;
  const { conversation } = call;
  const known = conversation === undefined ? session : context.shared?.sessions.get(conversation);
  const { facts } = context;
  const background =
    known === undefined ? [...seriesText(facts.series, call), ...issueText(facts.issue, call)] : [];
  const own = [background, prompt, messages.map(letterText), calls?.notes.get(node) ?? []]
    .flat()
    .join("\n\n");
  const request: AgentRequest = {
    agent: call.agent,
    model: call.model,
    role: call.role ?? "worker",
    node,
    iteration: context.iteration,
    prompt: withSections(call, own, visibleContext),
    instructions: call.instructions,
    schema: call.schema,
    session: known,
    idleMs: call.idleMs,
    timeoutMs: call.timeoutMs,
    ...defined({ tools: call.tools, settings: call.settings }),
    ...(calls === undefined ? {} : ofLoop(calls)),
  };
  const answer = yield* sendAgentRequest(context.path, context, request);
  yield* askCoordinator(answer, context);
  const kept = call.result === "required" ? yield* askForResult(answer, call, { context, request }) : answer;
  const next = forNextIteration(kept);
  if (next !== "") calls?.noted.set(node, next);
  for (const signal of kept.signals ?? []) calls?.signals.add(signal);
  if (conversation !== undefined && answer.session !== undefined) {
    context.shared?.sessions.set(conversation, answer.session);
  }
  return kept;
}

/** The parts of a request that come from the agent's loop. */
const ofLoop = ({ completes, fails, checks, protects }: LoopToolCalls): Partial<AgentRequest> => ({
  ...defined({ completes, fails }),
  checks,
  protects,
});

/** Shows an untrusted message as data between two lines; the user's own text is unchanged. */
const shownMessage = ({ message, facts }: ExecutionContext) =>
  facts.strangers && message.trim() !== "" ? dataBlock("message", message.trim()) : message;

/** Shows untrusted inputs as data, including those that a workflow passes on under another name. */
function shownInputs({ inputs, facts }: ExecutionContext): ExecutionContext["inputs"] {
  const untrusted = (facts.strange_inputs ?? []).map((name) => facts.inputs[name] || undefined);
  const isTheirs = (text: string) => untrusted.some((part) => part !== undefined && text.includes(part));
  const shown = Object.entries(inputs).map(
    ([name, text]) => [name, isTheirs(text) ? dataBlock(`input-${name}`, text) : text] as const,
  );
  return Object.fromEntries(shown);
}

interface RequestContext {
  readonly context: ExecutionContext;
  readonly request: AgentRequest;
}

/** The answer with a result that matches the schema; asks again in the same conversation if it does not. */
function* askForResult(
  first: AgentAnswer,
  call: AgentCall,
  visibleContext: RequestContext,
): Operation<AgentAnswer> {
  const { context, request } = visibleContext;
  let answer = first;
  for (let count = 1; count <= (call.asksAgain ?? 0); count++) {
    const complaint = resultComplaint(answer, call.schema);
    if (complaint === undefined) break;
    const path = attemptOf(sideEffectPath(context.path, "again"), count);
    const prompt = promptForResult(complaint, call.schema);
    const { session } = answer;
    answer = yield* sendAgentRequest(path, context, {
      ...request,
      session,
      prompt: session === undefined ? `${request.prompt}\n\n${prompt}` : prompt,
    });
  }
  return withResult(answer, call.schema);
}

const letterText = ({ from, text }: QueuedMessage) => `Message from ${from}:\n${text}`;

/** The parts of an answer that the node's next prompt gets. */
function forNextIteration({ note, left = [] }: AgentAnswer): string {
  const own = note === undefined ? [] : [`Your note from the iteration before:\n${note}`];
  if (left.length === 0) return own.join("");
  const ended = `These processes were still running when your last turn ended, and were killed. Wait for the processes that you start before you end your turn:\n${left.map((command) => `- ${command}`).join("\n")}`;
  return [...own, ended].join("\n\n");
}

/** Shows the coordinator a step's messages; delivers its replies before the step ends. Its failure blocks no step. */
function* askCoordinator({ sent = [] }: AgentAnswer, context: ExecutionContext): Operation<void> {
  const { coordinator } = context.plan;
  const messages = sent.filter(({ to }) => to === "coordinator");
  if (coordinator === undefined || messages.length === 0) return;
  const path = sideEffectPath(context.path, "coordinator");
  const prompt = promptOfCoordinator(messages, context);
  try {
    const request = { role: "worker", agent: coordinator, node: "coordinator", prompt } as const;
    yield* sendAgentRequest(path, context, modelRequest(request));
  } catch (error) {
    if (!(error instanceof EffectFailedError)) throw error;
    yield* emit({ type: "notice", code: "COORDINATOR_FAILED", message: error.message, path });
  }
}

/** Sends a request to an agent once the budget allows it, completed by what its named agent specifies. */
export function* sendAgentRequest(
  path: string,
  context: ExecutionContext,
  request: AgentRequest,
): Operation<AgentAnswer> {
  const totals = yield* waitForBudget(context, { path, node: reservationKey(request) });
  const budget = minBudget(context.budget, totals.limits);
  const left = yield* timeLeft(context);
  if (left <= 0) throw new EffectFailedError("timeout", timeIsUp);
  const most = Math.min(left, minutesLeft(budget, totals));
  const ask = resolveAgent({ ...request, timeoutMs: sooner(request.timeoutMs, most) }, context);
  const node = reservationKey(request);
  totals.reservations.reserve({ path, node, amount: totals.reservations.share(node, budget) });
  try {
    const { workspace, attempt } = context;
    const hasOthers = attempt?.hasOthers && ask.role === "worker";
    const answer = yield* perform("agent", path, { ask, workspace, hasOthers });
    for (const notice of budgetNotices(budget, totals, { agent: ask.agent, usage: answer.usage }))
      yield* emit({ type: "notice", ...notice, path });
    return answer;
  } catch (error) {
    const isLate = error instanceof EffectFailedError && error.reason === "timeout";
    const spent = isLate ? exhaustedBudget(minBudget(context.budget, totals.limits), totals) : undefined;
    throw spent === undefined ? error : new EffectFailedError("budget", spent);
  }
}

/** Waits while only reservations of calls in flight prevent this call; throws if the budget cannot cover it. */
function* waitForBudget(
  context: ExecutionContext,
  { path, node }: { readonly path: string; readonly node: string },
): Operation<RunTotals> {
  const totals = yield* getRunTotals();
  const { reservations } = totals;
  for (let requests = 0; ; ) {
    const budget = minBudget(context.budget, totals.limits);
    const isBeside = reservations.callsInFlight() > 0;
    const expected = isBeside ? reservations.share(node, budget) : reservations.expected(node);
    const over = insufficientBudget(budget, totals, { node, expected });
    if (over === undefined) return totals;
    const isFinal = !isBeside || exhaustedBudget(budget, totals) !== undefined;
    if (isFinal && context.facts.shared_budget !== undefined && requests === 0) {
      requests += 1;
      yield* claimMore(sideEffectPath(path, "budget"), totals, expected);
      continue;
    }
    if (isFinal) throw new EffectFailedError("budget", over);
    yield* waitForAgentCall();
  }
}

/** Claims more of the budget that the jobs of a fan-out share; the answer raises the limits of the run. */
function* claimMore(path: string, { usage, reservations }: RunTotals, expected: Amount): Operation<void> {
  const reserved = reservations.reserved();
  const spent = { usd: usage.cost_usd, tokens: budgetTokens(usage) };
  const need = { usd: reserved.usd + expected.usd, tokens: reserved.tokens + expected.tokens };
  yield* perform("budget", path, { ask: { spent, need } });
}

/** Groups calls of similar cost: those of a node's worker, and those of its judge. */
const reservationKey = ({ node, role }: AgentRequest) => (role === "worker" ? node : `${node}'s ${role}`);

const minutesLeft = ({ minutes }: Budget, { activeMs }: RunTotals) =>
  minutes === undefined ? Infinity : Math.max(1, minutes * 60_000 - activeMs);

const sooner = (ms: number | undefined, left: number) => (left < (ms ?? Infinity) ? left : ms);
