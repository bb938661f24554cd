import type { Plan } from "../plan/plan.ts";
import type { AgentAnswer } from "../ports/agent.ts";
import { conclude, type NodeResult } from "./ending.ts";
import type { RunFacts } from "./event.ts";
import type { Need } from "./flow.ts";
import { labelsOf } from "./label.ts";
import type { OpenLedger } from "./ledger.ts";
import { type Mail, openMail } from "./mail.ts";
import { openStarts } from "./open-starts.ts";
import type { Outcome } from "./outcome.ts";
import { shown } from "./path.ts";
import type { Told, ToldEvent } from "./told.ts";

/** What a run tells the outside, numbered and in order, with one end for every start. */
export interface Story {
  /** The closing record, once the end is told. */
  readonly ending:
    | { readonly type: "run.ended"; readonly conclusion: string; readonly stop_reason: string }
    | undefined;
  /** The time of what is being told, in ISO 8601. */
  now: string;
  begin(): void;
  resume(): void;
  tell(told: Told): void;
  tellAsked(need: Need): void;
  /** `names` are those under which the node that answers gets its messages. */
  tellAnswered(path: string, answer: AgentAnswer, names: readonly string[]): void;
  /** Under which names the node of a need gets its messages. */
  namesOf(need: Need): readonly string[];
  /** Puts a message on its way. */
  send(letter: Parameters<Mail["send"]>[0]): void;
  tellRetried(path: string, retried: { readonly attempt: number; readonly reason: string }): void;
  tellCutOff(path: string): void;
  /** Closes whatever is open and tells how the run ended. */
  end(outcome: Outcome): void;
  take(): readonly ToldEvent[];
}

interface About {
  readonly plan: Plan;
  readonly facts: RunFacts;
  readonly ledger: OpenLedger;
}

export function openStory(about: About): Story {
  const { ledger, facts } = about;
  const label = labelsOf(about.plan);
  const starts = openStarts();
  const results = new Map<string, NodeResult>();
  const keep = keepResults(about.plan, results);
  let told: ToldEvent[] = [];
  let seq = 0;

  const story: { -readonly [K in keyof Story]: Story[K] } = {
    ending: undefined,
    now: "",
    tell(said) {
      const event = atShownPath(said);
      seq += 1;
      told.push({ v: 1, seq, at: story.now, run: facts.run, ...event });
      starts.follow(event);
      mail.follow(event);
      if (event.type === "iteration.started") ledger.countIteration();
      keep(event);
    },
    begin() {
      story.tell(begun(about));
      for (const warning of facts.warnings) story.tell({ type: "notice", ...warning });
    },
    resume: () => story.tell({ type: "run.resumed", from_seq: seq + 1 }),
    tellAsked(need) {
      if (need.port === "agent") story.tell(asked(need));
    },
    namesOf: (need) => namesOf(need, label),
    tellAnswered(path, answer, names) {
      ledger.spend(answer.usage, answer.tag);
      ledger.purse.settle(path, answer.usage);
      const read = (answer.read ?? []).filter((letter) => ledger.takeOut(names, letter));
      for (const letter of read) story.tell({ type: "message.delivered", to: label(path), ...letter });
      story.tell(answered(path, answer));
      for (const notice of noticesOf(answer)) story.tell({ type: "notice", ...notice, path });
      for (const { to, text } of answer.sent ?? []) story.send({ from: label(path), to, text });
    },
    tellRetried: (path, retried) => story.tell({ type: "node.retried", path, ...retried }),
    tellCutOff: (path) => story.tell(cutOff(path)),
    send: (letter) => mail.send(letter),
    end(outcome) {
      for (const closing of starts.closings(outcome)) story.tell(closing);
      mail.close();
      const end = conclude({ plan: about.plan, outcome, results, lastLoop: starts.lastLoop() });
      story.ending = { type: "run.ended", conclusion: end.conclusion, stop_reason: end.stop_reason };
      const { iterations, usage } = ledger;
      story.tell({ type: "run.ended", ...end, iterations, usage: { ...usage } });
    },
    take() {
      const taken = told;
      told = [];
      return taken;
    },
  };
  const mail = openMail(about.plan, { ledger, tell: (told) => story.tell(told) });
  return story;
}

/** Keeps what the nodes gave that count for the run as a whole, the one that ended last in last place. */
function keepResults({ body }: Plan, results: Map<string, NodeResult>): (event: Told) => void {
  // In a walk all nodes share one scope, those that loops repeat too.
  const inScope = body.walk === undefined ? /^\/[^/#]+$/ : /^(?:\/[^/#]+#\d+)*\/[^/#]+$/;
  return (event) => {
    if (event.type !== "node.ended" || event.status !== "completed" || !inScope.test(event.path)) return;
    results.delete(event.node);
    results.set(event.node, event);
  };
}

const namesOf = ({ path, ask }: Need, label: (path: string) => string): readonly string[] => [
  ...new Set([...("node" in ask ? [ask.node] : []), label(path)]),
];

/** Attempts share the address of the first. */
const atShownPath = (event: Told): Told =>
  "path" in event && event.path?.includes("~") ? { ...event, path: shown(event.path) } : event;

const begun = ({ plan, facts }: About): Told => ({
  type: "run.started",
  workflow: plan.name,
  dialect: plan.dialect,
  ...(facts.file === undefined ? {} : { file: facts.file }),
  agent: facts.agent ?? plan.agent ?? facts.default_agent ?? "",
  message: facts.message,
});

const cutOff = (path: string): Told => ({
  type: "notice",
  code: "BEGUN_AGAIN",
  message: `${shown(path)} was in flight when the run was cut off; it is begun again`,
  path,
});

/** What is said of a run that was cut off with nothing on record of what was in flight. */
export const silence: Told = {
  type: "notice",
  code: "CUT_OFF",
  message:
    "the run was cut off without a word; what was done after the last that is on record may be done once more",
};

/** What people should know of an answer besides what it says. */
function noticesOf({ notices = [], left = [] }: AgentAnswer) {
  if (left.length === 0) return notices;
  const message = `the agent ended its turn while this still ran, which was then ended: ${left.join("; ")}`;
  return [...notices, { code: "LEFT_RUNNING", message }];
}

function asked({ path, ask }: Extract<Need, { port: "agent" }>): Told {
  const { agent = "default", role, session, prompt } = ask;
  const told = { type: "agent.asked", path, agent, role, prompt } as const;
  return session === undefined ? told : { ...told, session };
}

function answered(path: string, { text, result, session, usage }: AgentAnswer): Told {
  return {
    type: "agent.answered",
    path,
    text,
    ...(result === undefined ? {} : { result }),
    ...(session === undefined ? {} : { session }),
    usage: usage ?? { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
  };
}
