import type { RunView, ViewedGate } from "../run-view.ts";
import { type Decision, provenance, type Refusal, type Said, type Wording, wrong } from "../statement.ts";
import { over } from "./applies-to.ts";

/** Decides an open gate; `refuse` says why this gate is not decided by this command. */
export const decidesGate =
  (
    decision: "approve" | "reject",
    refuse?: (gate: ViewedGate, said: Said, wording: Wording) => Refusal | undefined,
  ) =>
  (view: RunView, said: Said, wording: Wording): Decision => {
    const gate = gateMeant(view, said);
    if (view.state === "ended" || gate === undefined) return refusal(view, said, wording);
    const no = refuse?.(gate, said, wording) ?? undefined;
    if (no !== undefined) return no;
    const moved = decision === "approve" ? afterMove(view, { ...said, shown: gate }, wording) : undefined;
    if (moved !== undefined) return moved;
    const { at, by, text } = said;
    return {
      record: { type: "run.decided", at, gate: gate.need, decision, by, text, ...provenance(said) },
      gate,
    };
  };

/** What happens instead of an approval if the branch has moved since the gate was shown. */
function afterMove(
  { run }: RunView,
  { shown, head, moved = "ignore", anyway }: Said & { readonly shown: ViewedGate },
  { code }: Wording,
): Decision | undefined {
  const hasMoved = shown.head !== undefined && head !== undefined && shown.head !== head;
  if (!hasMoved || anyway === true || moved === "ignore") return undefined;
  const since = `the branch has moved from ${code(short(shown.head))} to ${code(short(head))} since the gate was shown`;
  if (moved === "ask")
    return wrong(`${since}: review it, then use ${code(`/workflow approve ${run} --anyway`)}`);
  return { shownAgain: shown, because: `${since}; the gate is shown again: review it, then approve` };
}

/**
 * The gate a command applies to. A gate that opened in the future was opened by another machine's clock, so a
 * command given now may apply to it. A comment never does: GitHub dates both the comment and the comment that showed
 * the gate.
 */
function gateMeant({ gates }: RunView, { since, at, gate: meant, comment }: Said): ViewedGate | undefined {
  const isSeen = (gate: ViewedGate) =>
    Date.parse(gate.since) <= since || (comment === undefined && Date.parse(gate.since) > Date.parse(at));
  return gates.find((gate) => isSeen(gate) && (meant === undefined || isNamed(gate, meant)));
}

const isNamed = (
  { path, nonce }: { readonly path: string; readonly nonce?: string | undefined },
  meant: string,
) => path === meant || nonce === meant;

const short = (commit = "") => commit.slice(0, 7);

/** Why nothing is decided; names the person who decided first, if anyone did. */
function refusal(view: RunView, { gate: meant }: Said, wording: Wording): Refusal {
  const { run, state, gates, decided } = view;
  const { code, name } = wording;
  const by = decided.findLast((one) => meant === undefined || isNamed(one, meant))?.by;
  const shown = gates.map(({ path }) => code(path)).join(", ");
  const now = shown === "" || state === "ended" ? "" : `; open now: ${shown}`;
  const ended = state === "ended" ? `run ${run} has ended` : undefined;
  const isOpen = gates.some((gate) => meant === undefined || isNamed(gate, meant));
  if (by !== undefined && !(meant !== undefined && isOpen)) {
    const because = `already decided by ${name(by)}${ended === undefined ? now : `; ${ended}`}`;
    return { refused: "late", because };
  }
  if (ended !== undefined) return over(view, wording);
  if (isOpen) return wrong(`this decision is older than the gate ${shown}: look at the gate first`);
  return wrong(meant === undefined ? `run ${run} is not waiting at a gate` : `that gate is not open${now}`);
}
