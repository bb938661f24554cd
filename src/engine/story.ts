import type { Plan } from "../plan/plan.ts";
import type { AgentAnswer, Usage } from "../ports/agent.ts";
import { conclude, type NodeResult } from "./ending.ts";
import type { RunFacts } from "./event.ts";
import type { Need } from "./flow.ts";
import type { OpenLedger } from "./ledger.ts";
import type { Outcome } from "./outcome.ts";
import { labelOf, shown } from "./path.ts";
import type { StopReason, Told, ToldEvent } from "./told.ts";

/** What a run tells the outside, numbered and in order, with one end for every start. */
export interface Story {
  readonly ended: boolean;
  readonly ending: { readonly type: "run.ended"; readonly conclusion: string; readonly stop_reason: string } | undefined;
  at(time: string): void;
  begin(): void;
  resume(): void;
  tell(told: Told): void;
  tellAsked(need: Need): void;
  tellAnswered(path: string, answer: AgentAnswer): void;
  tellRetried(path: string, reason: string): void;
  tellCutOff(path: string): void;
  /** Closes whatever is open and tells how the run ended. */
  end(outcome: Outcome): void;
  take(): readonly ToldEvent[];
}

const nothing: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export function openStory(plan: Plan, facts: RunFacts, ledger: OpenLedger): Story {
  const open = new Map<string, Told>();
  const results = new Map<string, NodeResult>();
  const attempts = new Map<string, number>();
  const seen: Seen = { iterations: new Map(), lastLoop: undefined };
  let told: ToldEvent[] = [];
  let seq = 0;
  let now = "";
  let ending: Story["ending"];

  const tell = (event: Told) => {
    seq += 1;
    told.push({ v: 1, seq, at: now, run: facts.run, ...event });
    if (event.type === "iteration.started") ledger.countIteration();
    follow(event, open, seen);
    if (event.type === "node.ended" && event.path === `/${event.node}` && event.status === "completed") {
      results.set(event.node, event);
    }
  };

  return {
    get ended() {
      return ending !== undefined;
    },
    get ending() {
      return ending;
    },
    at(time) {
      now = time;
    },
    begin() {
      const { name, dialect } = plan;
      tell({
        type: "run.started",
        workflow: name,
        dialect,
        ...(facts.file === undefined ? {} : { file: facts.file }),
        agent: facts.agent ?? plan.agent ?? "default",
        message: facts.message,
      });
    },
    resume: () => tell({ type: "run.resumed", from_seq: seq + 1 }),
    tell,
    tellAsked(need) {
      if (need.port !== "agent") return;
      const { agent = "default", role, session, prompt } = need.ask;
      tell({
        type: "agent.asked",
        path: shown(need.path),
        agent,
        role,
        ...(session === undefined ? {} : { session }),
        prompt,
      });
    },
    tellAnswered(path, { text, result, session, usage = nothing, sent = [], tag }) {
      ledger.spend(usage, tag);
      tell({
        type: "agent.answered",
        path: shown(path),
        text,
        ...(result === undefined ? {} : { result }),
        ...(session === undefined ? {} : { session }),
        usage,
      });
      const from = labelOf(path);
      for (const { to, text } of sent) {
        ledger.post(to, { from, text });
        tell({ type: "message.sent", from, to, text });
      }
    },
    tellRetried(path, reason) {
      const attempt = (attempts.get(path) ?? 1) + 1;
      attempts.set(path, attempt);
      tell({ type: "node.retried", path: shown(path), attempt, reason });
    },
    tellCutOff(path) {
      tell({
        type: "notice",
        code: "BEGUN_AGAIN",
        message: `${shown(path)} was in flight when the run was cut off; it is begun again`,
        path: shown(path),
      });
    },
    end(outcome) {
      const reason = outcome.status === "completed" ? undefined : outcome.because;
      for (const closing of closings(open, seen, reason)) tell(closing);
      const end = conclude({ plan, outcome, results, lastLoop: seen.lastLoop });
      ending = { type: "run.ended", conclusion: end.conclusion, stop_reason: end.stop_reason };
      tell({
        type: "run.ended",
        ...end,
        iterations: ledger.iterations,
        usage: { ...ledger.usage },
      });
    },
    take() {
      const taken = told;
      told = [];
      return taken;
    },
  };
}

interface Seen {
  readonly iterations: Map<string, number>;
  lastLoop: StopReason | undefined;
}

/** Keeps what has started and not ended, and how the loops went. */
function follow(event: Told, open: Map<string, Told>, seen: Seen) {
  switch (event.type) {
    case "node.started":
    case "loop.started":
    case "iteration.started":
      open.set(`${event.type.split(".")[0]} ${event.path}`, event);
      break;
    case "node.ended":
    case "loop.ended":
    case "iteration.ended":
      open.delete(`${event.type.split(".")[0]} ${event.path}`);
      break;
  }
  if (event.type === "iteration.started") {
    const loop = event.path.replace(/#\d+$/, "");
    seen.iterations.set(loop, (seen.iterations.get(loop) ?? 0) + 1);
  }
  if (event.type === "loop.ended") {
    seen.lastLoop = event.stop_reason;
    seen.iterations.delete(event.path);
  }
}

/** The ends of all that a sudden end of the run leaves open, innermost first. */
function closings(open: ReadonlyMap<string, Told>, seen: Seen, reason = "the run ended"): readonly Told[] {
  return [...open.values()].reverse().map((started): Told => {
    if (started.type === "node.started") {
      const { path, node, label } = started;
      return { type: "node.ended", path, node, label, status: "cancelled", output: "", reason };
    }
    if (started.type === "loop.started") {
      const { path, node } = started;
      const iterations = seen.iterations.get(path) ?? 0;
      return { type: "loop.ended", path, node, status: "cancelled", stop_reason: "cancelled", iterations };
    }
    const { path, node, number } = started as Extract<Told, { type: "iteration.started" }>;
    return { type: "iteration.ended", path, node, number, output: "" };
  });
}
