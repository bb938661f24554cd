import { randomUUID } from "node:crypto";
import { env } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentFault,
  type AgentRequest,
} from "../ports/agent.ts";
import { longestTimer } from "../ports/clock.ts";
import { defined } from "../ports/defined.ts";
import { boundedAnswer } from "../processes/bounded-output.ts";
import { childEnvironment, type Environment } from "../processes/environment.ts";
import { runProcess } from "../processes/process.ts";
import { chooseReply, readScript, type ScriptedAction } from "./scripted-replies.ts";
import { deleteInside, writeInside } from "./workspace-file.ts";

export type ScriptedOptions = ({ readonly file: string } | { readonly text: string }) & {
  /** The environment of its commands, without what agents must not have; default that of this process. */
  readonly environment?: Environment;
};

/**
 * An agent that answers from a file of replies: for testing a workflow without a model, and for tests. Throws an
 * `AgentError` if the file is missing or invalid.
 */
export function scriptedAgent(options: ScriptedOptions): Agent {
  const { environment = env } = options;
  const uses = new Map<string, number>();
  // Read before the run starts: a missing file is a usage error, not a failed run.
  const script = readScript(options);
  return {
    name: "file" in options ? `scripted:${options.file}` : "scripted",
    async answer(request, context) {
      const used = (tag: string) => Math.max(uses.get(tag) ?? 0, context.tags.get(tag) ?? 0);
      const chosen = chooseReply(script, request, used);
      if (chosen === undefined) throw new AgentError("unmatched", unmatched(request));
      const { reaction, tag } = chosen;
      const count = tag === undefined ? 0 : used(tag);
      if (tag !== undefined) uses.set(tag, count + 1);
      try {
        return await react({ reaction, tag, request, context, environment });
      } catch (error) {
        // an answer that was not awaited is not recorded, and will be requested again
        if (tag !== undefined && context.signal.aborted) uses.set(tag, count);
        throw error;
      }
    },
  };
}

interface Turn {
  readonly reaction: ScriptedAction;
  readonly tag: string | undefined;
  readonly request: AgentRequest;
  readonly context: AgentContext;
  readonly environment: Environment;
}

async function react(turn: Turn): Promise<AgentAnswer> {
  const { reaction, tag, request, context } = turn;
  const deadline = performance.now() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  if ((await pass(turn, { ms: reaction.wait_ms, deadline })) === "idle") throw silent(turn, "idle");
  await changeFiles(turn);
  if (reaction.run !== undefined) await runCommand(turn, deadline);
  const text = reaction.say ?? (reaction.result === undefined ? "" : JSON.stringify(reaction.result));
  if (text !== "") context.onText(text);
  const answer: AgentAnswer = {
    text: boundedAnswer(text),
    ...defined({ result: reaction.result }),
    session: request.session ?? randomUUID(),
    usage: reaction.usage,
    ...defined({ sent: reaction.send, tag }),
  };
  if (reaction.hang) {
    await pass(turn, { ms: Number.POSITIVE_INFINITY, deadline });
    if (text === "") throw silent(turn, "idle");
    return { ...answer, idle: true };
  }
  if (reaction.error !== undefined)
    throw failure(turn, { fault: reaction.error, message: faults[reaction.error] });
  return answer;
}

/** Stays silent for a while; if it is too long, the agent is stopped. */
async function pass(
  turn: Turn,
  { ms, deadline }: { readonly ms: number; readonly deadline: number },
): Promise<"waited" | "idle"> {
  const { signal } = turn.context;
  const left = Math.max(0, deadline - performance.now());
  const { idleMs } = turn.request;
  try {
    await wait(Math.min(ms, left, idleMs, longestTimer), undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  if (ms <= Math.min(left, idleMs)) return "waited";
  if (left < idleMs) throw silent(turn, "timeout");
  return "idle";
}

async function changeFiles(turn: Turn): Promise<void> {
  const { reaction, context } = turn;
  try {
    for (const [path, text] of Object.entries(reaction.write))
      await writeInside(context.workspace, path, text);
    for (const path of reaction.delete) await deleteInside(context.workspace, path);
  } catch (cause) {
    throw failure(turn, {
      fault: "crash",
      message: cause instanceof Error ? cause.message : String(cause),
      cause,
    });
  }
}

async function runCommand(turn: Turn, deadline: number): Promise<void> {
  const { reaction, context, request, environment } = turn;
  const end = await runProcess({
    command: "bash",
    args: ["-c", reaction.run ?? ""],
    cwd: context.workspace,
    env: childEnvironment(environment, context.env, { forAgent: true }),
    ...(Number.isFinite(deadline) ? { timeoutMs: Math.max(1, deadline - performance.now()) } : {}),
    idleMs: request.idleMs,
    signal: context.signal,
    onText: context.onText,
    reap: "always",
    wrap: context.wrap,
  });
  if (end.how === "aborted") throw context.signal.reason;
  if (end.how === "idle") throw silent(turn, "idle");
  if (end.how === "timed-out") throw silent(turn, "timeout");
  if (end.exitCode === 0) return;
  const why =
    end.fault?.message ?? `ended with ${end.exitCode ?? end.signal}: ${end.tail.trim().split("\n").at(-1)}`;
  throw failure(turn, { fault: "crash", message: `\`${reaction.run}\` ${why}` });
}

function silent(turn: Turn, fault: "idle" | "timeout"): AgentError {
  const { idleMs, timeoutMs } = turn.request;
  const message =
    fault === "idle" ? `said nothing for ${idleMs} ms` : `gave no answer within ${timeoutMs} ms`;
  return failure(turn, { fault, message });
}

function failure(
  { tag, reaction }: Turn,
  {
    fault,
    message,
    cause,
  }: { readonly fault: AgentFault; readonly message: string; readonly cause?: unknown },
): AgentError {
  const more = { usage: reaction.usage, ...defined({ tag }), cause };
  return new AgentError(fault, `the scripted agent (${tag ?? "otherwise"}): ${message}`, more);
}

const faults: Readonly<Record<NonNullable<ScriptedAction["error"]>, string>> = {
  "rate-limit": "too many requests, as its script says",
  overloaded: "overloaded, as its script says",
  network: "not reachable, as its script says",
  auth: "its key was refused, as its script says",
  credit: "no credit is left, as its script says",
  crash: "crashed, as its script says",
  empty: "answered nothing, as its script says",
};

function unmatched({ node, iteration, role, prompt }: AgentRequest): string {
  const where = iteration === undefined ? node : `${node}, iteration ${iteration}`;
  const start = prompt.length > 120 ? `${prompt.slice(0, 120)}…` : prompt;
  return `no reply of the scripted agent fits ${where} (role ${role}); its prompt starts: ${JSON.stringify(start)}`;
}
