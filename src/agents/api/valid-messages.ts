import type { ModelMessage } from "ai";

/**
 * The messages of a conversation in a form that every provider accepts. Models call tools by impossible names, repeat
 * ids, pass arguments that are no object, or answer with whitespace only; a kill may leave a call without a result.
 * An endpoint that refuses one of these would refuse every later request of the conversation.
 */
export function validMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const ids = openIds();
  return withFewImages(messages).flatMap((message, at) => {
    if (typeof message.content === "string") return isBlank(message.content) ? [] : [message];
    if (message.role === "tool") return validResults(message, ids);
    if (message.role === "assistant")
      return validCalls(message, { ids, answered: answeredBy(messages[at + 1]) });
    return [message];
  });
}

/**
 * With more than twenty images in a request, Anthropic's API refuses images over 2,000 pixels per side. The oldest
 * are left out, ten at a time, so that requests share a prefix and are read from the cache.
 */
function withFewImages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isShown = (part: Part<"tool">) =>
    part.type === "tool-result" && part.output.type === "content" && part.output.value.length > 0;
  const shown = messages.flatMap((message) =>
    message.role === "tool" ? message.content.filter(isShown) : [],
  );
  const left = new Set(shown.slice(0, Math.ceil(Math.max(0, shown.length - 20) / 10) * 10));
  if (left.size === 0) return messages;
  const output = {
    type: "text",
    value: "(an image, no longer shown: read it again if you need it)",
  } as const;
  return messages.map((message) =>
    message.role !== "tool"
      ? message
      : { ...message, content: message.content.map((part) => (left.has(part) ? { ...part, output } : part)) },
  ) as ModelMessage[];
}

type Message<Role> = Extract<ModelMessage, { role: Role }>;
type Part<Role> = Exclude<Message<Role>["content"], string>[number];
type Ids = ReturnType<typeof openIds>;

interface Following {
  readonly ids: Ids;
  /** The ids of the results in the next message. */
  readonly answered: ReadonlySet<string>;
}

function validCalls(message: Message<"assistant">, { ids, answered }: Following): readonly ModelMessage[] {
  if (typeof message.content === "string") return [message];
  const content = message.content.flatMap<Part<"assistant">>((part) => {
    if (part.type === "text" && isBlank(part.text)) return [];
    if (part.type !== "tool-call") return [part];
    const { toolCallId, toolName, input } = part;
    if (!answered.has(toolCallId)) return [];
    return [
      {
        ...part,
        toolCallId: ids.of(toolCallId),
        toolName: nameOf(toolName),
        input: isObject(input) ? input : {},
      },
    ];
  });
  return content.length === 0 ? [] : [{ ...message, content }];
}

function validResults(message: Message<"tool">, ids: Ids): readonly ModelMessage[] {
  const content = message.content.flatMap<Part<"tool">>((part) => {
    if (part.type !== "tool-result") return [part];
    const toolCallId = ids.answer(part.toolCallId);
    return toolCallId === undefined ? [] : [{ ...part, toolCallId, toolName: nameOf(part.toolName) }];
  });
  return content.length === 0 ? [] : [{ ...message, content }];
}

function answeredBy(message: ModelMessage | undefined): ReadonlySet<string> {
  if (message?.role !== "tool") return new Set();
  return new Set(message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])));
}

/** Gives each call a unique id, in characters that every provider accepts. */
function openIds() {
  const used = new Set<string>();
  const unanswered = new Map<string, string[]>();
  return {
    of(id: string): string {
      const plain = nameOf(id);
      let own = plain;
      for (let nth = 2; used.has(own); nth += 1) own = `${plain.slice(0, 56)}-${nth}`;
      used.add(own);
      unanswered.set(id, [...(unanswered.get(id) ?? []), own]);
      return own;
    },
    /** The new id of the first call with this id that has no result yet. */
    answer: (id: string): string | undefined => unanswered.get(id)?.shift(),
  };
}

/** Anthropic and OpenAI accept these characters, and at most 64. */
const nameOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";

const isBlank = (text: string): boolean => text.trim() === "";

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
