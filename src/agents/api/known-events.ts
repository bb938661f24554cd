import { loopbackFetch } from "./loopback-fetch.ts";

/** The events of Anthropic's streams. Its API may add others at any time, and the SDK would take them for an error. */
const known: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

/** A `fetch` for our own key proxy that leaves unknown events out of Anthropic's streams. */
export const fetchKnownEvents: typeof fetch = async (input, init) => {
  const response = await loopbackFetch(input, init);
  const isStream = /\bevent-stream\b/.test(response.headers.get("content-type") ?? "");
  if (!isStream || response.body === null) return response;
  return new Response(response.body.pipeThrough(onlyKnownEvents()), response);
};

function onlyKnownEvents(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = "";
  let isKnown = true;
  const passes = (line: string): boolean => {
    const name = /^event:\s*(\S+)/.exec(line)?.[1];
    if (name !== undefined) isKnown = known.has(name);
    const isKept = isKnown;
    // A blank line ends an event.
    isKnown ||= line.trim() === "";
    return isKept;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      rest += text;
      if (!text.includes("\n")) return;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      const kept = lines.filter(passes).map((line) => `${line}\n`);
      if (kept.length > 0) controller.enqueue(encoder.encode(kept.join("")));
    },
    flush(controller) {
      if (rest !== "" && passes(rest)) controller.enqueue(encoder.encode(rest));
    },
  });
}
