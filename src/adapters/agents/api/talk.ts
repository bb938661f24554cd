import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import type { AgentContext } from "../../../ports/agent.ts";
import type { Environment } from "../../environment.ts";
import type { Loan } from "../../relay/loan.ts";
import type { LoopTools } from "../loop-tools.ts";
import type { Conversation } from "./conversation.ts";
import { loopbackFetch } from "./loopback-fetch.ts";
import type { Route } from "./provider.ts";
import { type Workshop, workTools } from "./tools.ts";
import type { Watch } from "./watch.ts";

/** All that one answer is made with. */
export interface Talk {
  readonly route: Route;
  readonly loan: Loan;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly conversation: Conversation;
  readonly loop: LoopTools;
  readonly watch: Watch;
  readonly instructions: string;
  /** The most requests to the model for one prompt. */
  readonly mostSteps: number;
}

/** What a prompt came to. */
export interface Said {
  /** The final message; of an answer that was cut off, what had been said last. */
  readonly text: string;
  /** Why the model stopped, as it says. */
  readonly finish: string | undefined;
  readonly error: unknown;
}

/** Puts one prompt to the model and carries out what it calls for, until it calls for nothing more. */
export async function talk(prompt: string, about: Talk): Promise<Said> {
  const { conversation, watch, instructions, context, route } = about;
  const [{ streamText, isStepCount }, model] = await Promise.all([import("ai"), modelOf(about)]);
  // It would print what it finds strange in a request.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const work = openWork();
  const asked: ModelMessage = { role: "user", content: prompt };
  let unsaved: readonly ModelMessage[] = [asked];
  const said = { text: "", finish: undefined as string | undefined, error: undefined as unknown };
  const stream = streamText({
    model,
    instructions,
    messages: [...conversation.messages(), asked],
    tools: await toolsOf(about, work),
    toolCallConcurrency: 1,
    abortSignal: watch.signal,
    maxRetries: 2,
    stopWhen: isStepCount(about.mostSteps),
    prepareStep: ({ messages }) =>
      route.provider.wire === "anthropic" ? { messages: markedForCache(messages) } : undefined,
    onError: ({ error }) => {
      said.error = error;
    },
    onStepEnd(step) {
      said.finish = step.finishReason;
      // A step that failed said nothing that could be gone on from.
      if (step.finishReason === "error") return;
      conversation.add([...unsaved, ...step.response.messages]);
      unsaved = [];
    },
  });
  try {
    for await (const part of stream.stream) {
      if (part.type === "start-step") work.step = "";
      if (part.type === "text-delta") {
        work.step += part.text;
        context.onText(part.text);
      }
      if (part.type === "error") said.error = part.error;
      if (work.step !== "") said.text = work.step;
    }
  } catch (error) {
    said.error ??= error;
  }
  await work.settled();
  return said;
}

/** The tools under way: who stops waits until they have ended. */
function openWork() {
  const running = new Set<Promise<unknown>>();
  return {
    /** What was said in the step at hand. */
    step: "",
    async doing<T>(one: Promise<T>): Promise<T> {
      running.add(one);
      try {
        return await one;
      } finally {
        running.delete(one);
      }
    },
    settled: () => Promise.allSettled(running),
  };
}

type Work = ReturnType<typeof openWork>;

async function modelOf({ route, loan }: Talk): Promise<LanguageModel> {
  if (route.provider.wire === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: `${loan.baseUrl}/v1`, apiKey: loan.key, fetch: loopbackFetch })(
      route.model,
    );
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { name } = route.provider;
  const options = { name, baseURL: loan.baseUrl, apiKey: loan.key, includeUsage: true, fetch: loopbackFetch };
  return createOpenAICompatible(options)(route.model);
}

async function toolsOf({ context, environment, watch, loop }: Talk, work: Work): Promise<ToolSet> {
  const { tool, jsonSchema } = await import("ai");
  const workshop: Workshop = { context, environment, signal: watch.signal, onSound: watch.heard };
  const ours = Object.entries(workTools).map(([name, one]) => [
    name,
    tool({
      description: one.description,
      inputSchema: jsonSchema<Record<string, unknown>>({
        type: "object",
        properties: one.properties,
        required: [...one.required],
      }),
      execute(given) {
        context.onText(`\n[${name}] ${labelOf(given)}\n`);
        return work.doing(one.use(given, workshop));
      },
    }),
  ]);
  const loops = loop.offered.map(({ name, description, schema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, unknown>>(schema as never),
      execute(given) {
        watch.heard();
        const { text, isError } = loop.call(name, given);
        if (isError) throw new Error(text);
        return text;
      },
    }),
  ]);
  return Object.fromEntries([...ours, ...loops]) as ToolSet;
}

/** What a call is about, in a few words for people. */
function labelOf(given: Readonly<Record<string, unknown>>): string {
  const [first = ""] = Object.values(given).filter((value) => typeof value === "string");
  const [line = ""] = String(first).split("\n");
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

/** All but the newest message is the same at the next step: Anthropic keeps it ready where it is told to. */
function markedForCache(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) => {
    const { providerOptions: _, ...plain } = message;
    if (index < messages.length - 1) return plain as ModelMessage;
    return {
      ...plain,
      providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
    } as ModelMessage;
  });
}
