import type { Retry } from "../../plan/plan.ts";
import { isMapping, parseFields, type SourcePath } from "../parse-fields.ts";
import { reportFault, warnOfKeys } from "../report-fault.ts";
import { didYouMean } from "../value-remedy.ts";
import { type AgentPart, readGate, readLinear, readSynthesize } from "./agent.ts";
import { type CodePart, readCode } from "./code.ts";
import { type DispatchPart, readDispatch } from "./dispatch-block.ts";
import type { Exits } from "./exits.ts";
import { type LoopPart, readLoop } from "./loop.ts";
import type { Make, PartMaker, RawBlock, ReaderContext } from "./reader-context.ts";
import {
  type BlockType,
  blockFields,
  blockLimitFields,
  idPattern,
  retryFields,
  usualTimeoutMs,
  withoutEffect,
} from "./schema.ts";
import { type CallPart, readWorkflow } from "./workflow.ts";

type Faults = Pick<ReaderContext, "faults">;

const reserved: ReadonlySet<string> = new Set(["workflow", "results", "shared_memory", "metadata"]);
const types = Object.keys(blockFields);

/** The types of blocks whose souls may continue a conversation. */
const remembers: ReadonlySet<BlockType> = new Set(["linear", "dispatch"]);

/** Reads a block by itself; `undefined` if its type is unknown. */
export function parseRawBlock({ faults }: Faults, id: string, value: unknown): RawBlock | undefined {
  const at: SourcePath = ["blocks", id];
  if (!idPattern.test(id) || reserved.has(id)) {
    const hint = reserved.has(id)
      ? "This name is reserved."
      : "An id is a letter or _, then up to 99 letters, digits, _ and -.";
    reportFault({ faults }, "BAD_ID", {
      message: `\`${id.slice(0, 110)}\` cannot be a block's id.`,
      at,
      onKey: true,
      hint,
    });
  }
  if (!isMapping(value))
    return reportFault({ faults }, "BAD_VALUE", { message: `The block \`${id}\` must be a mapping.`, at });
  const type = readType({ faults }, value, { id, at });
  if (type === undefined) return undefined;
  const advice = (key: string) => elsewhere(key, type);
  const fields = parseFields(value, { fields: blockFields[type], at, faults, advice });
  const idle = fields.stateful && !remembers.has(type) && type !== "gate" ? ["stateful"] : [];
  warnOfKeys({ faults }, { keys: [...withoutEffect.block, ...idle], object: value, at });
  const longestMs = readBlockLimits({ faults }, fields.limits, [...at, "limits"]);
  const isShorter = longestMs < (fields.timeout_seconds ?? usualTimeoutMs[type]);
  return { id, at, raw: value, type, fields: isShorter ? { ...fields, timeout_seconds: longestMs } : fields };
}

/** The time limit that a block's own limits imply, in milliseconds; its money and tokens have no separate limit. */
function readBlockLimits(reader: Faults, value: unknown, at: SourcePath): number {
  if (value === undefined || value === null) return Infinity;
  const fields = parseFields(value, { fields: blockLimitFields, at, faults: reader.faults });
  const { max_duration_seconds: seconds, on_exceed: onExceed } = fields;
  const onlyWarns = onExceed === "warn" ? ["max_duration_seconds", "on_exceed"] : [];
  const keys = [...withoutEffect.blockLimits, ...onlyWarns];
  if (isMapping(value)) warnOfKeys(reader, { keys, object: value, at });
  return seconds === undefined || onExceed === "warn" ? Infinity : seconds * 1000;
}

function readType(
  reader: Faults,
  value: Readonly<Record<string, unknown>>,
  { id, at }: { readonly id: string; readonly at: SourcePath },
): BlockType | undefined {
  const { type } = value;
  if (typeof type === "string" && Object.hasOwn(blockFields, type)) return type as BlockType;
  if (type === undefined)
    return reportFault(reader, "BAD_VALUE", {
      message: `The block \`${id}\` needs a \`type\`.`,
      at,
      onKey: true,
    });
  const name = typeof type === "string" ? type : "";
  const hint = refused[name] ?? didYouMean(name, types) ?? `Use one of ${types.join(", ")}.`;
  const message = `There is no type of block \`${name.slice(0, 80)}\`.`;
  return reportFault(reader, "BAD_VALUE", { message, at: [...at, "type"], hint });
}

const refused: Readonly<Record<string, string>> = {
  retry: "Use retry_config on the block, or a loop with retry_on_exit.",
};

function elsewhere(key: string, type: BlockType): string | undefined {
  const owner = types.find((other) => other !== type && Object.hasOwn(blockFields[other as BlockType], key));
  return owner === undefined ? undefined : `\`${key}\` belongs to a block of type ${owner}.`;
}

interface Context {
  readonly exits: Exits;
  makeOf(id: string): Make;
}

/** Reads what a block does; the result makes its node, once for each place at which it runs. */
export function readBlock(reader: ReaderContext, rawBlock: RawBlock, { exits, makeOf }: Context): Make {
  const retry = readRetry(reader, rawBlock);
  const base = {
    id: rawBlock.id,
    after: [],
    trigger: "all_success",
    ...(retry === undefined ? {} : { retry }),
    ...(exits.rules.length === 0 ? {} : { exits: exits.rules }),
  } as const;
  const part = readPart(reader, rawBlock, makeOf);
  return (enclosing) => ({ ...base, ...part(enclosing) });
}

type Part = AgentPart | CodePart | LoopPart | CallPart | DispatchPart;

function readPart(reader: ReaderContext, rawBlock: RawBlock, makeOf: Context["makeOf"]): PartMaker<Part> {
  switch (rawBlock.type) {
    case "linear":
      return readLinear(reader, rawBlock);
    case "gate":
      return readGate(reader, rawBlock);
    case "code":
      return readCode(reader, rawBlock);
    case "loop":
      return readLoop(reader, rawBlock, makeOf);
    case "workflow":
      return readWorkflow(reader, rawBlock);
    case "dispatch":
      return readDispatch(reader, rawBlock);
    case "synthesize":
      return readSynthesize(reader, rawBlock);
  }
}

function readRetry(
  reader: ReaderContext,
  { id, at, raw, fields: { retry_config: value } }: RawBlock,
): Retry | undefined {
  if (!Object.hasOwn(raw, "retry_config") || value === null) return undefined;
  const place = [...at, "retry_config"];
  const fields = parseFields(value, { fields: retryFields, at: place, faults: reader.faults });
  if (isMapping(value)) warnOfKeys(reader, { keys: ["non_retryable_errors"], object: value, at: place });
  const { max_attempts: attempts = 3, backoff, backoff_base_seconds: delayMs = 1000 } = fields;
  return {
    times: attempts - 1,
    delayMs,
    on: "all",
    ...(backoff === "exponential" ? { grows: true } : {}),
    leaves: {
      name: `__retry__${id}`,
      fields: {
        attempt: "attempt",
        most: "max_attempts",
        because: "last_error",
        reason: "last_error_type",
        retries: "total_retries",
      },
    },
  };
}
