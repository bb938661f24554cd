import { createHash } from "node:crypto";
import {
  type Comment,
  inlineCode,
  inMarkdown,
  type RunEvent,
  type RunWords,
  readStanding,
  readTell,
  type Standing,
  type StandingGate,
  type Tip,
} from "../src/index.ts";
import type { Rules } from "./config.ts";
import { keptWords, wordsOf } from "./words.ts";

/** What somebody said of a run, when its id is known. */
export interface Said {
  readonly kind: Exclude<RunWords["kind"], "status" | "resume">;
  /** Without the run's id. */
  readonly text: string;
  readonly by: string;
  /** When, in milliseconds since 1970: nobody means a gate that opened later. */
  readonly since: number;
  /** Now, in ISO 8601. */
  readonly at: string;
  /** The path of the gate meant, or its nonce. */
  readonly gate: string | undefined;
  readonly anyway: boolean;
  readonly comment: Comment | undefined;
  /** Names the comment, or the press of a button. */
  readonly said: string;
  /** Where the pull request stands now. */
  readonly head: string | undefined;
  readonly moved: Rules["moved"];
}

/** What that puts on record as the run stands, or why it does not. */
export type Choice =
  | {
      readonly lines: readonly string[];
      /** What the run's tip says from now on. */
      readonly state: Readonly<Record<string, unknown>>;
      readonly standing: Standing;
      /** Whether nothing is decided: the gate is only shown anew. */
      readonly isShown?: string;
    }
  /** It stands on record already, from this very comment or press. */
  | { readonly repeated: true }
  | { readonly refused: string };

/** Chooses by the tip of a run alone; pure. */
export function choose(tip: Tip, said: Said): Choice {
  const standing = readStanding(tip.state["standing"]);
  if (standing === undefined) return { refused: `the record of run ${tip.run} does not say where it stands` };
  const record = wordsOf(tip);
  if (isOnRecord(standing, record, said)) return { repeated: true };
  if (standing.summary.state === "ended") return { refused: whyEnded(tip, standing, said) };
  if (said.kind === "cancel") {
    const because = said.text === "" ? `cancelled by ${said.by}` : `cancelled by ${said.by}: ${said.text}`;
    if (record.some(({ type }) => type === "run.cancelled"))
      return { refused: `run ${tip.run} is cancelled already` };
    return put(tip, standing, {
      type: "run.cancelled",
      at: said.at,
      by: said.by,
      because,
      ...provenance(said),
    });
  }
  if (said.kind === "tell") {
    const told = readTell(said.text);
    if ("unclear" in told) return { refused: told.unclear };
    const { step: to, text } = told;
    return put(tip, standing, {
      type: "run.messaged",
      at: said.at,
      to,
      from: said.by,
      text,
      ...provenance(said),
    });
  }
  return chooseGate(tip, standing, { ...said, kind: said.kind });
}

/** Whether this very word was taken before: it may be told to us twice, hours apart, and to two copies of us. */
function isOnRecord(standing: Standing, record: readonly RunEvent[], said: Said): boolean {
  if (isDecider(standing, said.said)) return true;
  if (said.comment !== undefined) return record.some((event) => commentOf(event) === said.comment?.id);
  // A press to stop leaves only its name; whoever did stop the run need not hear of it.
  const { conclusion, because } = standing.summary;
  const isStop = (text = "") => text === `cancelled by ${said.by}`;
  return (
    said.kind === "cancel" &&
    (record.some((event) => event.type === "run.cancelled" && isStop(event.because)) ||
      (conclusion === "cancelled" && isStop(because)))
  );
}

/** Whether a comment, or a press, decided one of a run's last gates. */
export const isDecider = ({ decided = [] }: Standing, said: string) =>
  decided.some((one) => one.said === said);

type GateSaid = Said & { readonly kind: "approve" | "reject" };

function chooseGate(tip: Tip, standing: Standing, said: GateSaid): Choice {
  // Comments are dated to the second.
  const open = standing.gates.filter(({ since }) => Date.parse(since) < said.since + 1_000);
  const meant = said.gate;
  const gate =
    meant === undefined ? open[0] : open.find(({ path, nonce }) => path === meant || nonce === meant);
  if (gate === undefined) return { refused: whyNone(tip, standing, meant) };
  // A run that began on no pull request stands on another branch than this one.
  const head = standing.origin?.pull === undefined ? undefined : said.head;
  const hasMoved = gate.head !== undefined && head !== undefined && gate.head !== head;
  if (hasMoved && said.kind === "approve" && !said.anyway && said.moved !== "ignore") {
    const moved = `the branch has moved from ${short(gate.head)} to ${short(head)} since the gate was shown`;
    if (said.moved === "ask")
      return { refused: `${moved}: look again, then say \`/workflow approve ${tip.run} --anyway\`` };
    return showAnew(tip, standing, {
      gate,
      head,
      // Nobody's words of before mean it: not these either, heard again.
      since: new Date(Math.max(Date.parse(said.at), said.since + 1_000)).toISOString(),
      because: `${moved}; it is shown anew: look again, then approve`,
    });
  }
  const gates = standing.gates.filter((one) => one !== gate);
  const event = {
    type: "run.decided",
    at: said.at,
    gate: gate.need,
    decision: said.kind,
    by: said.by,
  } as const;
  const decider = { path: gate.path, by: said.by, nonce: gate.nonce, said: said.said };
  const deciders = [...(standing.decided ?? []), decider];
  const next = { ...withGates(standing, gates), decided: deciders.slice(-20) };
  return put(tip, next, { ...event, text: said.text, ...provenance(said) });
}

const short = (commit = "") => inlineCode(commit.slice(0, 7));
const provenance = ({ comment }: Said) => (comment === undefined ? {} : { comment });
const commentOf = (event: RunEvent) => ("comment" in event ? event.comment?.id : undefined);

const withGates = (standing: Standing, gates: readonly StandingGate[]): Standing => ({
  ...standing,
  gates,
  summary: { ...standing.summary, gates: gates.map(({ path, message }) => ({ path, message })) },
});

const put = (tip: Tip, standing: Standing, event: RunEvent): Choice => ({
  lines: [JSON.stringify(event)],
  standing,
  state: { standing, said: keptWords(tip, [event]) },
});

function whyNone(tip: Tip, standing: Standing, meant: string | undefined): string {
  const open = standing.gates.map(({ path }) => inlineCode(path)).join(", ");
  const by = deciderOf(tip, standing, meant);
  const since = open === "" ? "" : `; open now: ${open}`;
  if (by !== undefined) return `already decided by ${inMarkdown(by)}${since}`;
  if (meant !== undefined) return `that gate is not open any more${since}`;
  return open === ""
    ? `run ${tip.run} waits at no gate`
    : `that was said before the gate ${open} opened: look at it first`;
}

/** Who decided the gate that is meant, as far as the tip knows; the last one of any gate where none is named. */
function deciderOf(tip: Tip, { decided = [] }: Standing, meant: string | undefined): string | undefined {
  const late = decided.filter(({ path, nonce }) => meant === undefined || path === meant || nonce === meant);
  const last = wordsOf(tip).flatMap((event) => (event.type === "run.decided" ? [event.by] : []));
  return late.at(-1)?.by ?? (meant === undefined ? last.at(-1) : undefined);
}

/** Who comes late with a decision is told who took it, where somebody did. */
function whyEnded(tip: Tip, standing: Standing, { kind, gate }: Said): string {
  const isDecision = kind === "approve" || kind === "reject";
  const by = isDecision ? deciderOf(tip, standing, gate) : undefined;
  const ended = `run ${tip.run} has ended`;
  return by === undefined ? `${ended} already` : `already decided by ${inMarkdown(by)}; ${ended}`;
}

interface Shown {
  readonly gate: StandingGate;
  readonly head: string;
  readonly since: string;
  readonly because: string;
}

/** The same gate for another head: a button of the old one means nothing any more. */
function showAnew(tip: Tip, standing: Standing, { gate, head, since, because }: Shown): Choice {
  const nonce = createHash("sha256").update(`${gate.nonce}\0${head}`).digest("hex").slice(0, 10);
  const next = withGates(
    standing,
    standing.gates.map((one) => (one === gate ? { ...one, head, since, nonce } : one)),
  );
  return { lines: [], standing: next, state: { standing: next, said: keptWords(tip, []) }, isShown: because };
}
