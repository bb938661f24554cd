import type { ModelMessage } from "ai";

/** How much of a model's window a request may fill before old output of tools is left out. */
const fullAt = 0.7;
/** How much is left then: so that the cached beginning changes seldom. */
const leftAt = 0.4;
/** The newest output of tools, which the model works with. */
const keptMessages = 6;
/** JSON with source code in it has about that many bytes for a token. */
const bytesPerToken = 3;

const note = "(removed because the conversation has grown long; run the tool again if you need this)";

/**
 * The messages of a conversation, with the oldest output of tools left out once they fill 70 % of the model's window. It
 * leaves out as much as it takes to come down to 40 %, so that requests after it begin alike and are read from the cache.
 * @param window the model's, in tokens
 */
export function pruneContext(messages: readonly ModelMessage[], window: number): readonly ModelMessage[] {
  let pruned = messages;
  let boundary = 0;
  // Told again from the start each time, so that the same conversation is always cut at the same places.
  for (let end = 1; end <= messages.length; end += 1) {
    const size = sizeOf(pruned.slice(0, end));
    if (size <= window * fullAt) continue;
    boundary = boundaryFor(pruned.slice(0, end), { from: boundary, most: window * leftAt });
    pruned = pruned.map((message, at) => (at < boundary ? withoutOutput(message) : message));
  }
  return pruned;
}

/** The first message whose output stays. */
function boundaryFor(
  messages: readonly ModelMessage[],
  { from, most }: { readonly from: number; readonly most: number },
): number {
  let size = sizeOf(messages);
  let at = from;
  for (; at < messages.length - keptMessages && size > most; at += 1) {
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

const sizes = new WeakMap<ModelMessage, number>();

function sizeOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const known = sizes.get(message) ?? Math.ceil(lengthOf(message) / bytesPerToken);
    sizes.set(message, known);
    return sum + known;
  }, 0);
}

/** An image costs about 1,600 tokens, independent of its bytes. */
const pictureBytes = 1_600 * bytesPerToken;

const lengthOf = (message: ModelMessage) =>
  JSON.stringify(message, (key, value) =>
    key === "data" && typeof value === "string" && value.length > pictureBytes
      ? "x".repeat(pictureBytes)
      : value,
  ).length;
