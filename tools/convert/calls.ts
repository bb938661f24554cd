import { asksAgain } from "../../src/dialects/native/call.ts";
import type { Text } from "../../src/expressions/template.ts";
import { inputNames } from "../../src/plan/inputs.ts";
import type { AgentCall, Call, Graph, Plan, Section } from "../../src/plan/plan.ts";
import type { GraphContext } from "./graph-context.ts";
import { nativeText } from "./templates.ts";
import { reportGap, type WriterPosition } from "./writer-context.ts";

/** What the body of a loop reads of the previous iteration. */
export interface BodyContext {
  /** The nodes of the body, by their native ids; empty if the body is one call. */
  readonly body: readonly string[];
  /** True if a judge comments on it. */
  readonly isJudged: boolean;
}

/** An agent call, with the other parts of its prompt written in front. */
export function nativeCall(
  call: AgentCall,
  position: WriterPosition,
  body: BodyContext = { body: [], isJudged: false },
): AgentCall {
  const { sections = [], prompt, role, conversation, ...rest } = call;
  if (role !== undefined || conversation !== undefined)
    reportGap(
      position,
      "It continues the conversation of all its earlier calls, which a native file cannot express.",
    );
  if (rest.result === "required" && rest.schema === undefined)
    reportGap(position, "It requires a result, but the file has no schema for it.");
  const shown = sections.map((section) => sectionText(section, position, body));
  if (sections.some(({ kind }) => kind !== "message" && kind !== "context"))
    position.writer.notes.add(
      "Prompts show the same parts under the same headings, long ones uncut, empty ones too.",
    );
  return { ...rest, prompt: [...shown.flat(), ...nativeText(prompt, position)].reduce<Text>(join, []) };
}

/** The call of an agent node: a native one asks again for an answer that does not match its format. */
export function nativeNodeCall(...[call, position, body]: Parameters<typeof nativeCall>): AgentCall {
  const native = nativeCall(call, position, body);
  if (native.result !== "required") return native;
  position.writer.notes.add(
    "If an answer does not match its format, the agent is asked again, at most twice.",
  );
  return { ...native, asksAgain };
}

/** Merges adjacent literals. */
function join(text: Text, part: Text[number]): Text {
  const last = text.at(-1);
  if (typeof part !== "string" || typeof last !== "string") return [...text, part];
  return [...text.slice(0, -1), last + part];
}

function sectionText(section: Section, position: WriterPosition, { body, isJudged }: BodyContext): Text {
  const value = (name: string) => ({ ref: "value", name }) as const;
  switch (section.kind) {
    case "message":
      return ["## Request\n", value("USER_MESSAGE"), "\n\n"];
    case "context":
      return [];
    case "output": {
      const node = position.idOf(section.node);
      return [`## Output of ${node}\n`, { ref: "output", node }, "\n\n"];
    }
    case "item":
      return [`## ${section.title}\n`, { ref: "item" }, "\n\n"];
    case "given":
      return [`## ${section.title}\n`, ...nativeText([section.value], position), "\n\n"];
    case "previous":
      if (body.length === 0)
        return ["## Output of the iteration before\n", value("LOOP_PREV_OUTPUT"), "\n\n"];
      return [
        "## Output of the iteration before\n",
        ...body.flatMap((node): Text => [`### ${node}\n`, { ref: "previous", node }, "\n"]),
        "\n",
      ];
    case "feedback":
      return !isJudged ? [] : ["## What the last check or judge said\n", value("LOOP_CHECK_OUTPUT"), "\n\n"];
    default:
      reportGap(position, "Its prompt shows the scope that all blocks share.");
      return [];
  }
}

/** A call of another workflow, with the inputs that the caller reads. */
export function nativeCallOf(
  call: Call,
  position: WriterPosition,
  { workflows }: Pick<GraphContext, "workflows">,
): Call {
  const { workflow, context, object, takes } = call;
  const message = context === undefined ? call.message : [...(call.message ?? ownMessage), ...context];
  const child = workflows[workflow];
  if (takes !== undefined) reportGap(position, "It copies values of the called workflow into its own scope.");
  const reads = child === undefined ? [] : inputNames(child);
  const inputs = Object.entries(call.with).filter(([name]) => reads.includes(name));
  const usesMessage = child === undefined || readsMessage(child.body) || readsMessage(child.workflows);
  if (object !== undefined && usesMessage)
    reportGap(position, "The called workflow reads the item and the parameters as one JSON object.");
  const text =
    object === undefined && usesMessage && message !== undefined ? nativeText(message, position) : undefined;
  return {
    kind: "call",
    workflow,
    with: Object.fromEntries(inputs.map(([name, text]) => [name, nativeText(text, position)])),
    ...(text === undefined || isOwnMessage(text) ? {} : { message: text }),
  };
}

const ownMessage: Text = [{ ref: "value", name: "USER_MESSAGE" }];

const isOwnMessage = (text: Text): boolean => JSON.stringify(text) === JSON.stringify(ownMessage);

/** True if anything in a plan reads its message; shell scripts always do. */
function readsMessage(part: Graph | Plan["workflows"]): boolean {
  return /"name":"(?:USER_MESSAGE|ARGUMENTS|LOOP_INPUT)"|"kind":"(?:message|shell|script)"/.test(
    JSON.stringify(part),
  );
}
