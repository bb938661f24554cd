import type { AgentAnswer, AgentContext, AgentMessage, AgentRequest } from "../ports/agent.ts";
import type { Json } from "../ports/json.ts";
import { complaintOf } from "../ports/json-schema.ts";
import { parseJson } from "../ports/parse-json.ts";

/** A tool as described to a model. */
export interface LoopTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of its arguments, always an object. */
  readonly schema: { readonly [key: string]: Json };
}

/** A call's result, as text for the model. */
export interface ToolReply {
  readonly text: string;
  readonly isError: boolean;
}

/** The tools with which an agent reports to its loop, and its reports. */
export interface LoopTools {
  readonly offered: readonly LoopTool[];
  call(name: string, args: unknown): ToolReply;
  /** The calls so far, for the answer. */
  answer(): Partial<AgentAnswer>;
}

/**
 * The tools available for a request: a judge has no loop to end, and without a schema there is no result to submit.
 */
export function openLoopTools(request: AgentRequest, { inbox }: Pick<AgentContext, "inbox">): LoopTools {
  const calls: Calls = { signals: new Set(), sent: [], read: [], notes: [], result: undefined };
  const tools = toolsFor(request, inbox).map((make) => make(request, calls));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    offered: tools.map(({ name, description, schema }) => ({ name, description, schema })),
    call(name, args) {
      const tool = byName.get(name);
      if (tool === undefined)
        return wrong(`there is no tool ${name}; there are ${[...byName.keys()].join(", ")}`);
      return tool.use(fieldsOf(args));
    },
    answer: () => answerIn(calls),
  };
}

interface Calls {
  readonly signals: Set<string>;
  readonly sent: { readonly to: string; readonly text: string }[];
  readonly read: AgentMessage[];
  readonly notes: string[];
  result: { readonly value: Json } | undefined;
}

type Fields = { readonly [key: string]: Json };
type UsableTool = LoopTool & { use(fields: Fields): ToolReply };
type Making = (request: AgentRequest, calls: Calls) => UsableTool;

function toolsFor(request: AgentRequest, inbox: AgentContext["inbox"]): readonly Making[] {
  const { completes, fails, schema, role, iteration } = request;
  const isWorker = role === "worker";
  return [
    ...(completes === undefined ? [] : [ending("complete_loop", completes)]),
    ...(fails === undefined ? [] : [ending("fail_loop", fails)]),
    ...(isObject(schema) ? [submitting(schema)] : []),
    ...(isWorker ? [sending] : []),
    ...(isWorker && inbox !== undefined ? [reading(inbox)] : []),
    ...(isWorker && iteration !== undefined ? [noting] : []),
  ];
}

const ending =
  (name: "complete_loop" | "fail_loop", signal: string): Making =>
  (_, { signals }) => ({
    name,
    description:
      name === "complete_loop"
        ? "Says that the task of this loop is done. Call it once you have verified that, then end your turn."
        : "Gives the task of this loop up as impossible. Call it only when no further attempt could help, then end your turn.",
    schema: objectOf({ reason: { type: "string", description: "Why, in a sentence." } }),
    use() {
      signals.add(signal);
      return right("Noted; it is weighed when your turn ends. End it now.");
    },
  });

const submitting =
  (schema: Fields): Making =>
  (_, calls) => ({
    name: "submit_result",
    description:
      "Hands in the structured result of your task. The first valid one counts; end your turn with it.",
    schema: { ...objectOf({ result: schema }, ["result"]), ...sharedOf(schema) },
    use(fields) {
      const candidates = [fields["result"], parsed(fields["result"]), fields].filter(
        (one) => one !== undefined,
      );
      const value = candidates.find((one) => complaintOf(one, schema) === undefined);
      const complaint = complaintOf(candidates[0] ?? null, schema) ?? "";
      if (value === undefined)
        return wrong(`${complaint}; call submit_result again with a result that keeps the schema`);
      if (calls.result !== undefined) return wrong("a result was accepted before, and that one counts");
      calls.result = { value };
      return right("The result is accepted. End your turn.");
    },
  });

const sending: Making = (_, { sent }) => ({
  name: "send_message",
  description: "Puts a message into the inbox of another step of this workflow, or of `people`.",
  schema: objectOf({ to: { type: "string", description: "The step's id." }, text: { type: "string" } }, [
    "to",
    "text",
  ]),
  use({ to, text }) {
    if (!isText(to) || !isText(text)) return wrong("send_message needs `to` and `text`, both texts");
    if (sent.length >= mostMessages) return wrong(`no more than ${mostMessages} messages in one turn`);
    sent.push({ to: to.slice(0, 200), text: text.slice(0, mostText) });
    return right(`On its way to ${to} when your turn has ended.`);
  },
});

const reading =
  (inbox: () => readonly AgentMessage[]): Making =>
  (_, { read }) => ({
    name: "read_inbox",
    description: "Reads the messages that have come for you since your turn began.",
    schema: objectOf({}),
    use() {
      const letters = inbox();
      read.push(...letters);
      const text = letters.map((letter) => `Message from ${letter.from}:\n${letter.text}`).join("\n\n");
      return right(text === "" ? "No new messages." : text);
    },
  });

const noting: Making = (_, { notes }) => ({
  name: "checkpoint_note",
  description:
    "Keeps a note for the next iteration of this loop, which may know nothing else of this one: what is done, what was tried, what comes next.",
  schema: objectOf({ text: { type: "string" } }, ["text"]),
  use({ text }) {
    if (!isText(text)) return wrong("checkpoint_note needs a `text`");
    notes.push(text);
    return right("Kept for the next iteration.");
  },
});

/** Maximum size of the reports of one turn: the log stores all of them. */
const mostMessages = 100;
const mostText = 16 * 1024;

function answerIn({ signals, sent, read, notes, result }: Calls): Partial<AgentAnswer> {
  const note = notes.join("\n\n").slice(-mostText);
  return {
    ...(signals.size === 0 ? {} : { signals: [...signals] }),
    ...(result === undefined ? {} : { result: result.value }),
    ...(sent.length === 0 ? {} : { sent: [...sent] }),
    ...(read.length === 0 ? {} : { read: [...read] }),
    ...(note === "" ? {} : { note }),
  };
}

const right = (text: string): ToolReply => ({ text, isError: false });
const wrong = (text: string): ToolReply => ({ text, isError: true });

const objectOf = (properties: Fields, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: Json | undefined): value is string => typeof value === "string" && value.trim() !== "";

const fieldsOf = (args: unknown): Fields => (isObject(args) ? args : {});

/** References within a schema are relative to its root. */
const sharedOf = (schema: Fields): Fields =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => key === "$defs" || key === "definitions"));

/** Models often encode an object that a schema requires as a JSON string. */
const parsed = (value: Json | undefined) => (typeof value === "string" ? parseJson(value) : undefined);
