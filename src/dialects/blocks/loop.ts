import type { LoopNode } from "../../plan/plan.ts";
import type { CarriedContext, LoopResultNames } from "../../plan/sequence.ts";
import { defined } from "../../ports/defined.ts";
import type { StopSpec } from "../../stops/index.ts";
import { readLimit } from "../iteration-limit.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { reportFault } from "../report-fault.ts";
import { didYouMean, namesHere } from "../value-remedy.ts";
import { soulsOf } from "./branches.ts";
import { readTests } from "./conditions.ts";
import { readInputs } from "./inputs.ts";
import type { EnclosingContext, Make, PartMaker, RawBlock, ReaderContext } from "./reader-context.ts";
import { carryFields } from "./schema.ts";

/** The fields that a loop adds to its node. */
export type LoopPart = Omit<LoopNode, "id" | "after" | "trigger">;

/** Reads a loop. Its body's blocks are made with it, and may be in other loops too. */
export function readLoop(
  reader: ReaderContext,
  rawBlock: RawBlock,
  makeOf: (id: string) => Make,
): PartMaker<LoopPart> {
  const { id, fields } = rawBlock;
  const refs = readRefs(reader, rawBlock);
  const inputs = readInputs(reader, rawBlock);
  const max = readMax(reader, rawBlock);
  const stops = readStops(reader, rawBlock, refs);
  const again = readExit(reader, rawBlock, "retry_on_exit");
  const carry = readCarry(reader, rawBlock, refs);
  const leaveOn = [...new Set([fields.break_on_exit, again].flatMap((exit) => exit || []))];
  return ({ bindings, carried }) => {
    const inside: EnclosingContext = {
      bindings: { ...bindings, ...inputs },
      carried: carry === undefined ? carried : [...carried, carry.as],
    };
    const nodes = refs.map((ref) => makeOf(ref)(inside));
    return {
      kind: "loop",
      body: { kind: "graph", nodes, atMost: 1, walk: { ...(leaveOn.length === 0 ? {} : { leaveOn }) } },
      stops,
      mode: "any",
      max,
      onMax: "succeed",
      onError: { mode: "fail" },
      session: "fresh",
      delayMs: 0,
      output: "last",
      baseline: false,
      protect: [],
      counts: `${id}_round`,
      ending: endingOf(rawBlock),
      ...defined({ againOn: again, carry, timeoutMs: fields.timeout_seconds }),
    };
  };
}

function endingOf({ id, fields }: RawBlock): LoopResultNames {
  return {
    output: ["completed_", "_rounds"],
    remark: {
      name: `__loop__${id}`,
      fields: { iterations: "rounds_completed", early: "broke_early", because: "break_reason" },
    },
    because: {
      "exit-handle": `exit_handle '${fields.break_on_exit ?? ""}' matched break_on_exit`,
      condition: "condition met",
      "iterations-done": "max_rounds reached",
    },
  };
}

function readRefs(reader: ReaderContext, { fields, raw, at, id }: RawBlock): readonly string[] {
  const { inner_block_refs: refs } = fields;
  const place = [...at, "inner_block_refs"];
  if (refs?.length === 0 || !Object.hasOwn(raw, "inner_block_refs")) {
    const hint = "Add inner_block_refs: [a, b], the blocks of each round in order.";
    reportFault(reader, "LOOP_EMPTY_BODY", {
      message: `The loop \`${id}\` repeats no block.`,
      at: refs ? place : at,
      onKey: !refs,
      hint,
    });
  }
  const seen = new Set<string>();
  for (const [index, ref] of (refs ?? []).entries()) {
    const where = [...place, index];
    if (!reader.ids.has(ref)) {
      const hint = namesHere(ref, [...reader.ids], "blocks");
      reportFault(reader, "UNKNOWN_REFERENCE", { message: `There is no block \`${ref}\`.`, at: where, hint });
    } else if (seen.has(ref)) {
      const hint = "Write it once; a block of the same soul may do the second part.";
      reportFault(reader, "DUPLICATE_ID", {
        message: `\`${ref}\` occurs twice in this loop.`,
        at: where,
        hint,
      });
    }
    seen.add(ref);
  }
  return refs ?? [];
}

const defaultIterations = 5;
const mostIterations = 50;

function readMax(reader: ReaderContext, block: RawBlock): number {
  if (!Object.hasOwn(block.raw, "max_rounds")) return defaultIterations;
  return readLimit(reader, block, { key: "max_rounds", most: mostIterations }) ?? defaultIterations;
}

function readExit(
  reader: ReaderContext,
  { fields, at }: RawBlock,
  key: "break_on_exit" | "retry_on_exit",
): string | undefined {
  const exit = fields[key] ?? undefined;
  if (exit === undefined || exit.trim() !== "") return exit;
  return reportFault(reader, "LOOP_BLANK_STOP", { message: `\`${key}\` is blank.`, at: [...at, key] });
}

function readStops(reader: ReaderContext, rawBlock: RawBlock, refs: readonly string[]): readonly StopSpec[] {
  const exit = readExit(reader, rawBlock, "break_on_exit");
  const { break_condition: condition } = rawBlock.fields;
  const isGiven = condition !== undefined && condition !== null;
  const tests = isGiven
    ? readTests(reader, condition, { at: [...rawBlock.at, "break_condition"], refs })
    : undefined;
  return [
    ...(exit === undefined ? [] : [{ kind: "exit-handle", exit } as const]),
    ...(tests === undefined ? [] : [{ kind: "condition", tests } as const]),
  ];
}

function readCarry(
  reader: ReaderContext,
  rawBlock: RawBlock,
  refs: readonly string[],
): CarriedContext | undefined {
  const value = rawBlock.fields.carry_context;
  if (value === undefined || value === null) return undefined;
  const at = [...rawBlock.at, "carry_context"];
  const fields = parseFields(value, { fields: carryFields, at, faults: reader.faults });
  const sources = fields.source_blocks ?? undefined;
  for (const [index, source] of (sources ?? []).entries()) {
    if (refs.includes(source)) continue;
    reportFault(reader, "CARRY_SOURCE_UNKNOWN", {
      message: `\`${source}\` is none of the blocks this loop repeats.`,
      at: [...at, "source_blocks", index],
      hint: didYouMean(source, refs) ?? `They are ${refs.join(", ")}.`,
    });
  }
  if (!isMapping(value) || fields.enabled === false) return undefined;
  const inner = refs.flatMap((ref) => reader.blocks.get(ref) ?? []);
  const models = inner.flatMap(soulsOf).map((soul) => reader.souls.get(soul)?.model);
  return {
    as: fields.inject_as ?? "previous_round_context",
    nodes: sources === undefined || sources.length === 0 ? refs : sources,
    what: fields.mode ?? "last",
    most: carriedCharacters(models),
  };
}

/** Context windows of models in tokens, by prefix of the name. */
const windows: readonly (readonly [string, number])[] = [
  ["gpt-4o", 128_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-4.1", 1_047_576],
  ["gpt-5", 400_000],
  ["gemini-1.5", 1_048_576],
  ["gemini-2", 1_048_576],
];

const unknownWindow = 200_000;
const share = 0.03;
const charactersOfToken = 4;

/** Maximum characters of carried context that leave enough of the smallest of these models' windows. */
function carriedCharacters(models: readonly (string | undefined)[]): number {
  const sizes = models.map(
    (model) => windows.find(([name]) => model?.startsWith(name))?.[1] ?? unknownWindow,
  );
  const smallest = sizes.length === 0 ? unknownWindow : Math.min(...sizes);
  return Math.floor(smallest * share * charactersOfToken);
}
