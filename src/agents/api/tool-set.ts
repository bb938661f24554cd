import type { ToolSet } from "ai";
import type { AgentContext, AgentRequest } from "../../ports/agent.ts";
import type { Json } from "../../ports/json.ts";
import { complaintOf } from "../../ports/json-schema.ts";
import { capabilityOf } from "../../ports/tool-names.ts";
import type { Environment } from "../../processes/environment.ts";
import type { LoopTools } from "../loop-tools.ts";
import { aboutOf } from "../tool-input.ts";
import { capabilitiesFor } from "../tool-limits.ts";
import type { Background } from "./background.ts";
import { openRulesBelow } from "./repository-rules.ts";
import type { AbortWatch } from "./timeouts.ts";
import { workTools } from "./tools.ts";
import type { Image, ToolArguments, WorkTool } from "./work-tool.ts";

/** The context of one turn's tools. */
export interface ToolSetRequest {
  readonly request: Pick<AgentRequest, "role" | "tools">;
  readonly context: AgentContext;
  readonly environment: Environment;
  readonly loop: LoopTools;
  readonly background: Background;
  readonly watch: AbortWatch;
}

/** The tools that a model can call in one turn, including those of its loop. */
export async function toolSetFor(
  options: ToolSetRequest,
  doing: <T>(one: Promise<T>) => Promise<T>,
): Promise<ToolSet> {
  const { tool, jsonSchema } = await import("ai");
  const { request, context, environment, watch, loop, background } = options;
  const workshop = { context, environment, background, signal: watch.signal, onSound: watch.onOutput };
  const inTurn = openTurns();
  // A judge takes no instructions from files that the judged agent can write.
  const rulesFor = request.role === "worker" ? openRulesBelow({ context, environment }) : async () => "";
  const rulesOf = ({ path }: ToolArguments) => (typeof path === "string" ? rulesFor(path) : "");
  const tell = (name: string, args: unknown) => context.onTool?.({ name, about: aboutOf(args) });
  const ownToolSet = Object.entries(workTools)
    .filter(([name]) => isAllowed(name, request))
    .map(([name, one]) => [
      name,
      tool({
        description: one.description,
        inputSchema: jsonSchema<Record<string, unknown>>({
          type: "object",
          properties: one.properties as never,
          required: [...one.required],
        }),
        execute(args) {
          tell(name, args);
          return doing(
            inTurn(one, async () => {
              const input = argumentsFor(one, args);
              return withRules(await one.use(input, workshop), await rulesOf(input));
            }),
          );
        },
        toModelOutput: ({ output }) => modelOutputOf(output),
      }),
    ]);
  const loops = loop.offered.map(({ name, description, schema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, unknown>>(schema as never),
      execute(args) {
        tell(name, args);
        watch.onOutput();
        const { text, isError } = loop.call(name, args);
        if (isError) throw new Error(text);
        return text;
      },
    }),
  ]);
  return Object.fromEntries([...ownToolSet, ...loops]) as ToolSet;
}

const withRules = (result: string | Image, rules: string) =>
  typeof result === "string" && rules !== "" ? `${result}\n${rules}` : result;

/** A tool without a capability, such as `plan`, has no effect outside the conversation. */
function isAllowed(name: string, request: ToolSetRequest["request"]): boolean {
  const may = capabilitiesFor(request);
  const capability = capabilityOf(name);
  return may === undefined || (capability === undefined ? request.role === "worker" : may.has(capability));
}

/**
 * Read-only calls of one step run in parallel. A call that may change something waits for those before it, and those
 * after it wait for it.
 */
function openTurns() {
  const limited = openLimit(mostAtOnce);
  let changed: Promise<unknown> = Promise.resolve();
  let all: Promise<unknown> = Promise.resolve();
  return async <T>({ isReading }: WorkTool, use: () => Promise<T>): Promise<T> => {
    const one = (isReading === true ? changed : all).then(() => limited(use));
    const settled = one.catch(() => undefined);
    all = Promise.all([all, settled]);
    if (isReading !== true) changed = settled;
    return one;
  };
}

/** A model may read fifty large files in one step, and each is held in memory. */
const mostAtOnce = 4;

/** Runs at most this many at once; the others wait in order. */
function openLimit(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(use: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await use();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** The part of a tool's result that the model gets. */
export function modelOutputOf(output: unknown) {
  if (!isImage(output)) return { type: "text" as const, value: textOf(output) };
  const { image, mediaType } = output;
  const file = { type: "file" as const, data: { type: "data" as const, data: image }, mediaType };
  return { type: "content" as const, value: [file] };
}

const isImage = (output: unknown): output is Image =>
  typeof output === "object" && output !== null && "image" in output;

const textOf = (output: unknown) => (typeof output === "string" ? output : JSON.stringify(output));

/**
 * The arguments of a call as its tool expects them. Corrects what models often get wrong: numbers, booleans and lists
 * as text, and `null` for omitted arguments. Throws a sentence for the model for other deviations, so that no call
 * runs with half of its arguments.
 */
export function argumentsFor(
  { properties, required }: Pick<WorkTool, "properties" | "required">,
  value: unknown,
): ToolArguments {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`the arguments must be an object with ${required.join(", ") || "the tool's fields"}`);
  const fields = Object.entries(value).filter(([, value]) => value !== null && value !== undefined);
  const input = Object.fromEntries(
    fields.map(([name, value]) => [name, repaired(value, properties[name]?.type)]),
  );
  const schema = { type: "object", properties, required } as unknown as Json;
  const complaint = complaintOf(input, schema, "call");
  if (complaint !== undefined) throw new Error(`${complaint}; nothing was done`);
  return input;
}

function repaired(value: Json, type: string | undefined): Json {
  if (type === "array" && typeof value === "object" && !Array.isArray(value)) return [value];
  if (type === undefined || type === "string" || typeof value !== "string") return value;
  try {
    const read = JSON.parse(value) as Json;
    return read === null || typeof read === "string" ? value : repaired(read, type);
  } catch {
    return value;
  }
}
