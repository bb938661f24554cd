import { stepNamed } from "../../engine/node-labels.ts";
import { didYouMean } from "../../ports/nearest-word.ts";
import { splitWord } from "../first-word.ts";
import type { RunView } from "../run-view.ts";
import { provenance, type Refusal, type Wording, wrong } from "../statement.ts";
import { unfinishedRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

/** A message goes to the step's inbox; its next agent call reads it. */
export const tell = aboutRun({
  name: "tell",
  takes: "<step> <text>",
  group: "go on",
  doc: "sends a message to a step; its next agent call reads it",
  who: "commanders",
  appliesTo: unfinishedRuns,
  event: "run.messaged",
  read: parseTell,
  says: (recorded, text) => text.endsWith(recorded.text),
  decide(view, said, wording) {
    const { step: to = "", text, at, by } = said;
    const no = text === "" ? needsBoth(wording) : whyNotTo(to, view, wording);
    return no ?? { record: { type: "run.messaged", at, to, from: by, text, ...provenance(said) } };
  },
});

/** The step and the message of `tell`, from the text after the run's id; a sentence if one is missing. */
export function parseTell(
  text: string,
): { readonly step: string; readonly text: string } | { readonly unclear: string } {
  const [step, rest] = splitWord(text);
  if (step !== "" && rest !== "") return { step, text: rest };
  return { unclear: "`tell` needs a step and a text: `/workflow tell <run-id> <step> <text>`" };
}

const needsBoth = ({ code }: Wording) => wrong(`${code("tell")} needs a step and a text`);

/** Why a step accepts no messages. */
function whyNotTo(to: string, { steps }: RunView, wording: Wording): Refusal | undefined {
  const { code } = wording;
  if (to === "") return needsBoth(wording);
  const step = steps?.find(({ id }) => id === to) ?? steps?.find(({ id }) => id === stepNamed(to));
  if (steps !== undefined && step === undefined) {
    const ids = steps.map(({ id }) => id);
    return wrong(`the workflow has no step ${code(to)}; ${didYouMean(to, ids, code)}`);
  }
  if (step?.id !== to || step.parts === undefined) return undefined;
  const parts = step.parts.map((id) => code(id)).join(", ");
  return wrong(`${code(to)} accepts no messages: name a step inside it: ${parts}`);
}
