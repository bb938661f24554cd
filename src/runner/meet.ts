import type { RunEvent } from "../engine/event.ts";
import type { Need } from "../engine/flow.ts";
import type { Ledger } from "../engine/ledger.ts";
import { shown } from "../engine/path.ts";
import { AgentError, type AgentFault, countable, type Letter, type Usage } from "../ports/agent.ts";
import { redact } from "./redact.ts";
import type { World } from "./world.ts";

/** What the runner lends a need while it is met. */
export interface Meeting {
  readonly runId: string;
  readonly artifacts: string;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  /** The messages that wait for the need's node by now. */
  inbox(): readonly Letter[];
  /** What of the budget is used up by now, in words. */
  usedUp(): string | undefined;
  /** Takes what came of the need so far. */
  arrive(event: RunEvent): void;
}

/** The world lacks what the run needs: nothing is recorded, the run can be resumed once it is there. */
export class BrokenWorldError extends Error {
  override readonly name = "BrokenWorldError";
}

/** How meeting a need went: a fact for the log, and how long a provider asks to wait before another try. */
export interface Met {
  readonly event: RunEvent;
  readonly retryAfterMs?: number | undefined;
}

/** Puts one need to the world once; rejects only when the signal says stop. */
export async function meet(need: Need, world: World, meeting: Meeting): Promise<Met> {
  const { path, port } = need;
  try {
    const answer = await answerOf(need, world, meeting);
    meeting.signal.throwIfAborted();
    const clean = counted(redact(answer, world.secrets));
    return { event: { type: "need.met", at: world.clock.now(), path, port, answer: clean } as RunEvent };
  } catch (error) {
    meeting.signal.throwIfAborted();
    if (isBroken(error, port)) throw new BrokenWorldError(messageOf(error), { cause: error });
    const because = redact(messageOf(error), world.secrets);
    return failureOf(error, { type: "need.failed", at: world.clock.now(), path, because });
  }
}

function failureOf(
  error: unknown,
  about: Pick<Extract<RunEvent, { type: "need.failed" }>, "type" | "at" | "path" | "because">,
): Met {
  if (!(error instanceof AgentError)) return { event: { ...about, final: true } };
  const { fault, usage, tag, retryAfterMs } = error;
  const spent = { ...(usage === undefined ? {} : { usage }), ...(tag === undefined ? {} : { tag }) };
  return { event: { ...about, fault, final: !passes.has(fault), ...counted(spent) }, retryAfterMs };
}

/** What a call took that is no longer wanted, or not now: it is neither met nor over. */
const cutOff = ({ path }: Need, { clock }: World, usage: Usage): RunEvent => ({
  type: "need.failed",
  at: clock.now(),
  path,
  because: "it was stopped before it had answered",
  final: false,
  usage: countable(usage),
});

const counted = <T>(said: T): T => {
  const { usage } = said as { readonly usage?: Usage };
  return usage === undefined ? said : { ...said, usage: countable(usage) };
};

/** A program that is not there fails no node; what git refuses is the flow's to judge. */
const isBroken = (error: unknown, port: Need["port"]) =>
  error instanceof AgentError ? error.fault === "missing" : port !== "workspace";

/** Faults that pass by themselves. */
const passes: ReadonlySet<AgentFault> = new Set(["rate-limit", "overloaded", "network"]);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Of an inbox that others may have written anew by now, what was not handed out before. */
function eachOnce(inbox: () => readonly Letter[]): () => readonly Letter[] {
  const handed: Letter[] = [];
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

function answerOf(need: Need, world: World, meeting: Meeting): Promise<unknown> {
  const { runId, artifacts, ledger, signal } = meeting;
  const onText = (text: string) => world.onText?.(shown(need.path), text);
  const workspace = need.in ?? world.workspace;
  const path = shown(need.path);
  const env = { UNTIL_GREEN_RUN: runId, UNTIL_GREEN_PATH: path, UNTIL_GREEN_ARTIFACTS: artifacts };
  const context = { signal, workspace, artifacts, env, onText };
  switch (need.port) {
    case "agent":
      return world.agent(need.ask.agent).answer(need.ask, {
        ...context,
        tags: ledger.tags,
        inbox: eachOnce(meeting.inbox),
        onSpent: (usage) => meeting.arrive(cutOff(need, world, usage)),
      });
    case "shell":
      return world.shell.run(need.ask, context);
    case "script":
      return world.script.run(need.ask, context);
    case "timer":
      return world.clock.sleep(need.ask.ms, signal).then(() => ({ waited: need.ask.ms }));
    case "workspace":
      if (world.gitWorkspace === undefined)
        throw new Error("this workspace is not a git repository: run `git init` there");
      return world.gitWorkspace.handle(need.ask, { runId, signal, workspace });
    case "human":
      throw new TypeError(`no machine can answer ${need.path}`);
  }
}
