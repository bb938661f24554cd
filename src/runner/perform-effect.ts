import type { LogEvent, RunSettings } from "../engine/log-events.ts";
import type { Effect } from "../engine/operation.ts";
import { withoutAttempt } from "../engine/path.ts";
import type { RunTotals } from "../engine/run-totals.ts";
import type { Fallback } from "../plan/attempts.ts";
import {
  AgentError,
  type AgentMessage,
  countable,
  homesFolder,
  outputsFolder,
  type Spending,
  sessionsFolder,
  transientFaults,
  turnsFolder,
  type Usage,
} from "../ports/agent.ts";
import { DiskFault, diskFault } from "../ports/disk-fault.ts";
import type { Launch, WallSettings } from "../ports/isolation.ts";
import { messageOf } from "../ports/message-of.ts";
import type { ModelPrices } from "../ports/model-price.ts";
import { claimBudget } from "./claim-budget.ts";
import { type LiveOutput, openLiveOutput } from "./live-output.ts";
import { redact } from "./redact.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** What the runner provides while an effect is performed. */
export interface EffectContext {
  readonly runId: string;
  readonly facts: RunSettings;
  readonly artifacts: string;
  readonly totals: RunTotals;
  readonly prices: ModelPrices | undefined;
  readonly signal: AbortSignal;
  /** How long an effect is retried while a provider has errors, in milliseconds. */
  readonly patienceMs: number;
  /** The agent or model that answers instead while the provider has errors. */
  readonly fallback: Fallback | undefined;
  /** Checks the remaining budget before each request to a model. */
  readonly spending: Spending;
  /** The messages for the effect's node. */
  inbox(): readonly AgentMessage[];
  /** The workflow's isolation settings for the effect, or for the check that the effect is. */
  walls(isCheck: boolean): WallSettings;
  /** Why the budget is exhausted, as text. */
  usedUp(): string | undefined;
  /** Reports partial usage of the effect. */
  arrive(event: LogEvent): void;
}

/**
 * Something the run needs is missing on this machine. Nothing is recorded, and the run can be resumed once it is
 * fixed.
 */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

/** The result of performing an effect: a log event, and how long the provider asks to wait before a retry. */
export interface EffectResult {
  readonly event: LogEvent;
  readonly retryAfterMs?: number | undefined;
}

/** Performs one effect once; rejects only if the signal aborts it. */
export async function performEffect(
  effect: Effect,
  environment: RunEnvironment,
  context: EffectContext,
): Promise<EffectResult> {
  const { path, port } = effect;
  try {
    const answer = await answerOf(effect, environment, context);
    context.signal.throwIfAborted();
    const clean = counted(redact(answer, environment.secrets));
    return {
      event: { type: "need.met", at: environment.clock.now(), path, port, answer: clean } as LogEvent,
    };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const error = diskFault(thrown) ?? thrown;
    const because = redact(messageOf(error), environment.secrets);
    const othersGoOn = error instanceof AgentError && effect.hasOthers === true;
    if (!othersGoOn && isBroken(error, port)) {
      const usage = error instanceof AgentError ? error.usage : undefined;
      if (usage !== undefined) context.arrive(cutOff(effect, environment, { usage, because }));
      throw new EnvironmentError(because, { cause: error });
    }
    return failureOf(error, { type: "need.failed", at: environment.clock.now(), path, because });
  }
}

function failureOf(
  error: unknown,
  fields: Pick<Extract<LogEvent, { type: "need.failed" }>, "type" | "at" | "path" | "because">,
): EffectResult {
  if (!(error instanceof AgentError)) return { event: { ...fields, final: true } };
  const { fault, usage, tag, retryAfterMs } = error;
  const spent = { ...(usage === undefined ? {} : { usage }), ...(tag === undefined ? {} : { tag }) };
  return { event: { ...fields, fault, final: !transientFaults.has(fault), ...counted(spent) }, retryAfterMs };
}

/** The usage of a call that was aborted or postponed and has neither an answer nor an error. */
const cutOff = (
  { path }: Effect,
  { clock }: RunEnvironment,
  { usage, because = "it was stopped before it answered" }: Unfinished,
): LogEvent => ({
  type: "need.failed",
  at: clock.now(),
  path,
  because,
  final: false,
  usage: countable(usage),
});

interface Unfinished {
  readonly usage: Usage;
  readonly because?: string;
}

const counted = <T>(answer: T): T => {
  const { usage } = answer as { readonly usage?: Usage };
  return usage === undefined ? answer : { ...answer, usage: countable(usage) };
};

/**
 * A missing program, a refused key or a full disk does not fail the node. A refusal by git is handled by the
 * operation.
 */
const isBroken = (error: unknown, port: Effect["port"]) =>
  error instanceof AgentError
    ? error.fault === "missing" || error.isFixable
    : port !== "workspace" || error instanceof DiskFault;

/** Delivers each message of an inbox once. Messages may be rewritten between calls. */
function eachOnce(inbox: () => readonly AgentMessage[]): () => readonly AgentMessage[] {
  const handed: AgentMessage[] = [];
  return () => {
    const before = [...handed];
    const fresh = inbox().filter(({ from, text }) => {
      const at = before.findIndex((one) => one.from === from && one.text === text);
      if (at >= 0) before.splice(at, 1);
      return at < 0;
    });
    handed.push(...fresh);
    return fresh.map(({ from, text }) => ({ from, text }));
  };
}

async function answerOf(
  effect: Effect,
  environment: RunEnvironment,
  context: EffectContext,
): Promise<unknown> {
  const live = openLiveOutput({
    path: withoutAttempt(effect.path),
    kind: liveKind(effect),
    more: effect.port === "shell" && effect.ask.clean !== undefined ? { clean: true } : {},
    secrets: environment.secrets,
    now: environment.clock.now,
    emit: (event) => environment.onLive?.(event),
  });
  try {
    return await askedOf(effect, environment, { ...context, live });
  } finally {
    live.end();
  }
}

function liveKind(effect: Effect): "agent.message" | "check.output" | "node.output" {
  if (effect.port === "agent") return "agent.message";
  return effect.port === "shell" && effect.ask.role !== "node" ? "check.output" : "node.output";
}

interface Watched extends EffectContext {
  readonly live: LiveOutput;
}

async function askedOf(effect: Effect, environment: RunEnvironment, watched: Watched): Promise<unknown> {
  const { runId, artifacts, totals, signal, live } = watched;
  const onText = live.text;
  const workspace = effect.in ?? environment.workspace;
  const path = withoutAttempt(effect.path);
  const env = { UNTIL_GREEN_RUN: runId, UNTIL_GREEN_PATH: path, UNTIL_GREEN_ARTIFACTS: artifacts };
  const { isolation } = environment;
  const walls = watched.walls(effect.port === "shell" && effect.ask.role !== "node");
  const wrap =
    isolation &&
    ((launch: Launch) =>
      isolation.wrap(
        {
          ...launch,
          writable: [...(launch.writable ?? []), artifacts, workspace],
          kept: [sessionsFolder, turnsFolder, outputsFolder, homesFolder].map(
            (name) => `${artifacts}/${name}`,
          ),
        },
        walls,
      ));
  const context = { signal, workspace, artifacts, env, onText, ...(wrap && { wrap }) };
  switch (effect.port) {
    case "agent":
      return (await environment.agent(effect.ask.agent)).answer(effect.ask, {
        ...context,
        onTool: live.tool,
        onUsage: live.usage,
        tags: totals.tags,
        spending: watched.spending,
        prices: watched.prices,
        inbox: eachOnce(watched.inbox),
        onSpent: (usage) => watched.arrive(cutOff(effect, environment, { usage })),
      });
    case "shell":
      return environment.shell.run(effect.ask, context);
    case "script":
      return environment.script.run(effect.ask, context);
    case "budget":
      return claimBudget(
        { facts: watched.facts, ask: effect.ask, patienceMs: Infinity, signal },
        environment,
      );
    case "timer":
      return environment.clock.sleep(effect.ask.ms, signal).then(() => ({ waited: effect.ask.ms }));
    case "file":
      return environment.readFile(effect.ask, effect.ask.of === "artifacts" ? artifacts : workspace);
    case "workspace":
      if (environment.gitWorkspace === undefined)
        throw new Error("this workspace is not a git repository: run `git init` there");
      return environment.gitWorkspace.handle(effect.ask, { runId, signal, workspace });
    case "human":
      throw new TypeError(`no machine can answer ${effect.path}`);
  }
}
