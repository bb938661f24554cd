import type { AgentCall, Section } from "../../plan/plan.ts";
import type { Json } from "../../ports/json.ts";
import type { ExecutionContext, LoopFrame } from "../execution-context.ts";
import { scopeAt } from "../scope.ts";
import { byteLength, truncateBytes, truncateToTotal } from "../truncate.ts";

/** Maximum size of one earlier node's section in a prompt, and of the whole prompt with its sections; in bytes. */
const mostOfNode = 16 * 1024;
const mostOfPrompt = 120 * 1024;

/** A prompt with its sections before it; `own` is the call's text, which is never truncated. */
export function withSections({ sections }: AgentCall, own: string, context: ExecutionContext): string {
  if (sections === undefined) return own;
  const rendered = sections.flatMap((section) => render(section, context) ?? []);
  const prompt = truncateBytes(own, mostOfPrompt);
  const gaps = rendered.length * between.length;
  const shown = truncateToTotal(rendered, mostOfPrompt - byteLength(prompt) - gaps);
  return [...shown, prompt].filter((part) => part !== "").join(between);
}

const between = "\n\n";

function render(section: Section, context: ExecutionContext): string | undefined {
  switch (section.kind) {
    case "message":
      return context.message.trim() === "" ? undefined : `## Request\n${context.message.trim()}`;
    case "context":
      return context.context === undefined || context.context.trim() === ""
        ? undefined
        : `## Context of this workflow\n${context.context.trim()}`;
    case "output":
      return outputOf(section, context);
    case "item":
      return itemOf(context.frame, section.title);
    case "previous":
      return previousOf(context.frame);
    case "given":
      return storedValueText(section, context);
    case "carried":
      return carriedContextText(section.name, context);
    case "feedback": {
      const last = context.frame?.last;
      if (last === undefined || last.judged === "") return undefined;
      return `## What the judge said of iteration ${last.number}\n${truncateBytes(last.judged, mostOfNode)}`;
    }
  }
}

function outputOf(
  { node, whole }: Extract<Section, { kind: "output" }>,
  context: ExecutionContext,
): string | undefined {
  const outcome = context.outcome(node);
  if (outcome?.status !== "completed") return undefined;
  const cut = whole ? (text: string) => text : (text: string) => truncateBytes(text, mostOfNode);
  return `## Output of ${node}\n${outputText(outcome, cut)}`;
}

function itemOf(frame: LoopFrame | undefined, title: string): string | undefined {
  if (frame?.item === undefined) return undefined;
  return `## ${title} (index: ${frame.number - 1})\n${spaced(frame.item)}`;
}

function previousOf(frame: LoopFrame | undefined): string | undefined {
  const last = frame?.last;
  if (last === undefined || last.parts.length === 0) return undefined;
  const cut = (text: string) => truncateBytes(text, mostOfNode);
  const parts = last.parts.map((part) =>
    part.id === undefined ? outputText(part, cut) : `### ${part.id}\n${outputText(part, cut)}`,
  );
  return [`## Output of iteration ${last.number}`, ...parts].join("\n");
}

interface SectionValue {
  readonly output: string;
  readonly result?: Json | undefined;
}

/** A node's output, with its result if that adds something. */
export function outputText({ output, result }: SectionValue, cut: (text: string) => string): string {
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

/** JSON on one line, with a space after each comma and colon. */
function spaced(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}: ${spaced(field)}`)
    .join(", ")}}`;
}

/** A value as part of a prompt; `undefined` if there is none. */
function storedValueText(
  { title, value }: Extract<Section, { kind: "given" }>,
  context: ExecutionContext,
): string | undefined {
  const current = scopeAt(context).value(value);
  return current === null ? undefined : `## ${title}\n${asBlock(current)}`;
}

/** What loops carry under a name, as part of a prompt; entries of a list are numbered. */
function carriedContextText(name: string, { shared }: ExecutionContext): string | undefined {
  const value = shared?.memory.get(name);
  if (value === undefined) return undefined;
  const parts = Array.isArray(value)
    ? value.map((entry, index) => `### ${index + 1}\n${asBlock(entry)}`)
    : [asBlock(value)];
  return [`## ${name}`, ...parts].join("\n");
}

const asBlock = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
