import type { LanguageModel, ModelMessage, streamText } from "ai";
import type { KeyLease } from "../../key-proxy/lease.ts";
import type { AgentSettings } from "../../ports/agent.ts";
import { defined } from "../../ports/defined.ts";
import { nearestEffort } from "../effort.ts";
import { sizesOf } from "../models.ts";
import { fetchKnownEvents } from "./known-events.ts";
import { loopbackFetch } from "./loopback-fetch.ts";
import type { ModelRoute } from "./provider.ts";
import type { SystemPrompt } from "./system-prompt.ts";

interface Reached {
  readonly route: ModelRoute;
  readonly lease: KeyLease;
}

/** The model of a route, called by its own protocol through the key proxy. */
export async function openModel({ route, lease }: Reached): Promise<LanguageModel> {
  const { model, protocol, provider } = route;
  const access = { apiKey: lease.key, fetch: loopbackFetch };
  switch (protocol) {
    case "messages": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const fetch = fetchKnownEvents;
      return createAnthropic({ ...access, fetch, baseURL: `${lease.baseUrl}/v1` })(model);
    }
    case "responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ ...access, baseURL: lease.baseUrl }).responses(model);
    }
    case "gemini": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ ...access, baseURL: `${lease.baseUrl}/v1beta` })(model);
    }
    case "chat": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { name } = provider;
      return createOpenAICompatible({ ...access, name, baseURL: lease.baseUrl, includeUsage: true })(model);
    }
  }
}

type CallSettings = Pick<
  Parameters<typeof streamText>[0],
  "maxOutputTokens" | "temperature" | "topP" | "reasoning" | "providerOptions"
>;

/** The settings of every request of a turn. `conversation` is the conversation's id. */
export function callSettings(
  { model, protocol }: ModelRoute,
  {
    settings = {},
    conversation,
  }: { readonly settings: AgentSettings | undefined; readonly conversation: string },
): CallSettings {
  const { effort, temperature, topP, maxTokens } = settings;
  // Anthropic's API requires a maximum, and the SDK would use 4,096 for an unknown model.
  const most = maxTokens ?? (protocol === "messages" ? sizesOf(model).output : undefined);
  const openai = {
    // We store the conversation ourselves; the model's encrypted thoughts are part of it.
    store: false,
    include: ["reasoning.encrypted_content"],
    promptCacheKey: conversation,
  };
  return {
    ...defined({ maxOutputTokens: most, temperature, topP }),
    ...(effort === undefined ? {} : { reasoning: effortOf(effort) }),
    ...(protocol === "responses" ? { providerOptions: { openai } } : {}),
  };
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** An unknown level is passed to the provider unchanged. */
const effortOf = (effort: string): NonNullable<CallSettings["reasoning"]> =>
  efforts.find((one) => one === nearestEffort(effort.toLowerCase(), efforts)) ?? "provider-default";

/** Messages in the form that this protocol accepts. */
export function messagesFor({ protocol }: ModelRoute, messages: readonly ModelMessage[]): ModelMessage[] {
  if (protocol === "messages") return markedForCache(messages);
  return protocol === "chat" ? messages.flatMap(withImagesApart) : [...messages];
}

/**
 * The system prompt. Anthropic caches it and the tools before it for the following turns and conversations. The first
 * part changes less often than the second.
 */
export function instructionsFor({ protocol }: ModelRoute, { lasting, now }: SystemPrompt): Instructions {
  if (protocol !== "messages") return `${lasting}\n\n${now}`;
  return [lasting, now].map((content) => ({ role: "system", content, providerOptions: cached }));
}

type Instructions = NonNullable<Parameters<typeof streamText>[0]["instructions"]>;

const cached = { anthropic: { cacheControl: { type: "ephemeral" as const } } };

/** Marks the newest message, and the newest one of the previous request, which is in the cache. */
function markedForCache(messages: readonly ModelMessage[]): ModelMessage[] {
  const before = messages.findLastIndex(({ role }) => role === "assistant") - 1;
  return messages.map((message, index) => {
    const { providerOptions: _, ...plain } = message;
    if (index !== before && index !== messages.length - 1) return plain as ModelMessage;
    return { ...plain, providerOptions: cached } as ModelMessage;
  });
}

/** In chat completions a tool result can only be text, so an image follows in its own message. */
function withImagesApart(message: ModelMessage): readonly ModelMessage[] {
  if (message.role !== "tool") return [message];
  const images = message.content.flatMap((part) =>
    part.type === "tool-result" && part.output.type === "content"
      ? part.output.value.filter((one) => one.type === "file")
      : [],
  );
  if (images.length === 0) return [message];
  const content = message.content.map((part) =>
    part.type === "tool-result" && part.output.type === "content"
      ? { ...part, output: { type: "text" as const, value: "(the image follows)" } }
      : part,
  );
  return [
    { ...message, content },
    { role: "user", content: images },
  ];
}
