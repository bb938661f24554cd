import type { ModelMessage } from "ai";
import { headAndTailOf } from "../../processes/bounded-output.ts";

/** The share of a model's window that a request may fill before old tool output is left out. */
const fullAt = 0.7;
/** The share that remains then; low enough that the cached prefix seldom changes. */
const leftAt = 0.4;
/** The newest messages with tool output, which the model is still using. */
const keptMessages = 6;
/** Approximate bytes per token of JSON that contains source code. */
const bytesPerToken = 3;

const note = "(removed because the conversation has grown long; run the tool again if you need this)";

/**
 * The messages of a conversation, without the oldest tool output once they fill 70 % of the model's window. Enough is
 * left out to come down to 40 %, so that later requests have the same prefix and are read from the cache.
 * @param window the model's window, in tokens
 */
export function pruneContext(messages: readonly ModelMessage[], window: number): readonly ModelMessage[] {
  let pruned = messages;
  let boundary = 0;
  // Computed from the start each time, so that the same conversation is always cut at the same places.
  for (let end = 1; end <= messages.length; end += 1) {
    const size = sizeOf(pruned.slice(0, end));
    if (size <= window * fullAt) continue;
    prune(end, { most: window * leftAt, kept: keptMessages });
    // A few long results, or many in one step, can be too large on their own.
    if (sizeOf(pruned.slice(0, end)) > window * fullAt) prune(end, { most: window * fullAt, kept: 1 });
    pruned = withShorterEnd(pruned, { end, most: window * fullAt });
  }
  return pruned;

  function prune(end: number, { most, kept }: { readonly most: number; readonly kept: number }) {
    boundary = boundaryFor(pruned.slice(0, end), { from: boundary, most, kept });
    pruned = pruned.map((message, at) => (at < boundary ? withoutOutput(message) : message));
  }
}

/**
 * True if a request with these messages, its tools and its instructions may exceed the window. Only the provider
 * knows the exact number of tokens of a prompt, and nothing in it can be left out.
 */
export const isOver = (messages: readonly ModelMessage[], window: number): boolean =>
  messages.some(({ role }) => role === "assistant") && sizeOf(messages) > window * 0.9;

/** The index of the first message whose output is kept. */
function boundaryFor(
  messages: readonly ModelMessage[],
  { from, most, kept }: { readonly from: number; readonly most: number; readonly kept: number },
): number {
  let size = sizeOf(messages);
  let at = from;
  for (; at < messages.length - kept && size > most; at += 1) {
    const message = messages[at];
    if (message !== undefined) size -= sizeOf([message]) - sizeOf([withoutOutput(message)]);
  }
  return at;
}

function withoutOutput(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  const content = message.content.map((part) =>
    part.type === "tool-result" && JSON.stringify(part.output).length > note.length + 40
      ? { ...part, output: { type: "text" as const, value: note } }
      : part,
  );
  return { ...message, content };
}

/** The messages with the results of the last one shortened, so that the whole fits. */
function withShorterEnd(
  messages: readonly ModelMessage[],
  { end, most }: { readonly end: number; readonly most: number },
): readonly ModelMessage[] {
  const last = messages[end - 1];
  const over = sizeOf(messages.slice(0, end)) - most;
  if (over <= 0 || last?.role !== "tool") return messages;
  const left = Math.max(0, (sizeOf([last]) - over) * bytesPerToken);
  const share = Math.max(leastOutput, left / last.content.length - bytesAround);
  const content = last.content.map((part) => {
    if (part.type !== "tool-result" || part.output.type !== "text") return part;
    const { value } = part.output;
    const most = Math.floor((share * value.length) / JSON.stringify(value).length);
    return { ...part, output: { type: "text" as const, value: headAndTailOf(value, most) } };
  });
  return messages.with(end - 1, { ...last, content });
}

/** Minimum bytes kept of each result, and the approximate bytes of JSON around it. */
const [leastOutput, bytesAround] = [512, 256];

const sizes = new WeakMap<ModelMessage, number>();

function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const known = sizes.get(message) ?? Math.ceil(lengthOf(message) / bytesPerToken);
    sizes.set(message, known);
    return sum + known;
  }, 0);
}

/** An image costs about 1,600 tokens, whatever its size in bytes. */
const imageBytes = 1_600 * bytesPerToken;

const lengthOf = (message: ModelMessage) =>
  JSON.stringify(message, (key, value) =>
    key === "data" && typeof value === "string" && value.length > imageBytes ? "x".repeat(imageBytes) : value,
  ).length;
