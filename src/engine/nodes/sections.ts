import type { AgentCall, Section } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import { bytesOf, cutAll, cutTo } from "../cut.ts";
import type { Frame, Here } from "../here.ts";
import { carriedAs, valueUnder } from "./carried.ts";

/** What one node before may take of a prompt, and the longest a prompt with sections may be; in bytes. */
const mostOfNode = 16 * 1024;
const mostOfPrompt = 120 * 1024;

/** A prompt with its sections in front of it; `own` is the call's text with whatever else must not be cut. */
export function withSections({ sections }: AgentCall, own: string, here: Here): string {
  if (sections === undefined) return own;
  const rendered = sections.flatMap((section) => render(section, here) ?? []);
  const prompt = cutTo(own, mostOfPrompt);
  const gaps = rendered.length * between.length;
  const shown = cutAll(rendered, mostOfPrompt - bytesOf(prompt) - gaps);
  return [...shown, prompt].filter((part) => part !== "").join(between);
}

const between = "\n\n";

function render(section: Section, here: Here): string | undefined {
  switch (section.kind) {
    case "message":
      return here.message.trim() === "" ? undefined : `## Request\n${here.message.trim()}`;
    case "output":
      return outputOf(section, here);
    case "item":
      return itemOf(here.frame, section.title);
    case "previous":
      return previousOf(here.frame);
    case "given":
      return valueUnder(section, here);
    case "carried":
      return carriedAs(section.name, here);
    case "feedback": {
      const last = here.frame?.last;
      if (last === undefined || last.judged === "") return undefined;
      return `## What the judge said of iteration ${last.number}\n${cutTo(last.judged, mostOfNode)}`;
    }
  }
}

function outputOf({ node, whole }: Extract<Section, { kind: "output" }>, here: Here): string | undefined {
  const outcome = here.outcome(node);
  if (outcome?.status !== "completed") return undefined;
  const cut = whole ? (text: string) => text : (text: string) => cutTo(text, mostOfNode);
  return `## Output of ${node}\n${given(outcome, cut)}`;
}

function itemOf(frame: Frame | undefined, title: string): string | undefined {
  if (frame?.item === undefined) return undefined;
  return `## ${title} (index: ${frame.number - 1})\n${spaced(frame.item)}`;
}

function previousOf(frame: Frame | undefined): string | undefined {
  const last = frame?.last;
  if (last === undefined || last.parts.length === 0) return undefined;
  const cut = (text: string) => cutTo(text, mostOfNode);
  const parts = last.parts.map((part) =>
    part.id === undefined ? given(part, cut) : `### ${part.id}\n${given(part, cut)}`,
  );
  return [`## Output of iteration ${last.number}`, ...parts].join("\n");
}

interface Given {
  readonly output: string;
  readonly result?: Json | undefined;
}

/** What a node said, and its result where it says more than that. */
export function given({ output, result }: Given, cut: (text: string) => string): string {
  if (result === undefined) return cut(output);
  const json = JSON.stringify(result, undefined, 2);
  const block = `\`\`\`json\n${cut(json)}\n\`\`\``;
  return output.trim() === "" || isSame(output, result) ? block : `${cut(output)}\n${block}`;
}

function isSame(output: string, result: Json): boolean {
  try {
    return JSON.stringify(JSON.parse(output)) === JSON.stringify(result);
  } catch {
    return false;
  }
}

/** JSON on one line with a blank after each comma and colon. */
function spaced(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}: ${spaced(field)}`)
    .join(", ")}}`;
}
