import { fc } from "./random.ts";

/** Random block files that use only keys which native files can express: chains, branches, loops, gates, code. */
export const plainBlocks: fc.Arbitrary<string> = fc
  .record({
    units: fc.array(
      fc.record({
        kind: fc.constantFrom("linear", "loop", "loop", "code", "branch"),
        inner: fc.array(fc.constantFrom("linear", "gate", "linear"), { minLength: 1, maxLength: 3 }),
        nested: fc.boolean(),
        rounds: fc.integer({ min: 1, max: 3 }),
        ends: fc.constantFrom("none", "pass", "fail", "condition", "both", "retry"),
        test: fc.nat(99),
        looks: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    dashed: fc.boolean(),
  })
  .map(({ units, dashed }) => textOf(units, dashed ? "-" : "_"));

interface Unit {
  readonly kind: string;
  readonly inner: readonly string[];
  readonly nested: boolean;
  readonly rounds: number;
  readonly ends: string;
  readonly test: number;
  /** True if it reads earlier outputs. */
  readonly looks: boolean;
}

type Blocks = Record<string, object>;

function textOf(units: readonly Unit[], dash: string): string {
  const blocks: Blocks = {};
  const transitions: object[] = [];
  let before: string | undefined;
  for (const [index, unit] of units.entries()) {
    const id = `u${dash}${index}`;
    if (before !== undefined) transitions.push({ from: before, to: id });
    const seen = units[index - 1]?.kind === "linear" && unit.looks ? before : undefined;
    before = addUnit(blocks, unit, { id, seen });
  }
  return JSON.stringify({
    workflow: { name: "plain", entry: `u${dash}0`, transitions },
    souls: { s: { system_prompt: "you are s" } },
    blocks,
  });
}

interface Where {
  readonly id: string;
  /** The previous block, if this one reads it. */
  readonly seen: string | undefined;
}

/** Adds a unit's blocks; returns the one that others can follow. */
function addUnit(blocks: Blocks, unit: Unit, { id, seen }: Where): string {
  const inputs = seen === undefined ? {} : { inputs: { seen: { from: seen } } };
  const retried = unit.test % 4 === 0 ? { retry_config: { max_attempts: 2, backoff_base_seconds: 2 } } : {};
  const linear = { type: "linear", soul_ref: "s", ...inputs, ...retried };
  const gate = (judged: string, more = {}) => ({ type: "gate", soul_ref: "s", eval_key: judged, ...more });
  switch (unit.kind) {
    case "code":
      blocks[id] = {
        type: "code",
        language: "javascript",
        code: "function main(data) { return { saw: data.seen ?? null }; }",
        ...inputs,
      };
      return id;
    case "branch": {
      blocks[id] = { ...linear, depends: undefined };
      blocks[`${id}_gate`] = gate(id, { depends: id, pass: `${id}_good`, fail: `${id}_bad` });
      blocks[`${id}_good`] = linear;
      blocks[`${id}_bad`] = linear;
      blocks[`${id}_both`] = { type: "linear", soul_ref: "s", depends: [`${id}_good`, `${id}_bad`] };
      return `${id}_both`;
    }
    case "loop":
      blocks[id] = { ...addLoop(blocks, unit, { id, seen }), ...retried };
      return id;
    default:
      blocks[id] = linear;
      return id;
  }
}

function addLoop(blocks: Blocks, { inner, nested, rounds, ends, test }: Unit, { id, seen }: Where): object {
  const refs = inner.map((kind, index) => {
    const ref = `${id}_${index}`;
    const judged = kind === "gate" ? `${id}_${index === 0 ? 0 : index - 1}` : undefined;
    const isGate = judged !== undefined && judged !== ref;
    blocks[ref] = isGate
      ? { type: "gate", soul_ref: "s", eval_key: judged }
      : {
          type: "linear",
          soul_ref: "s",
          inputs: { ...(seen === undefined ? {} : { seen: { from: seen } }), round: { from: `${id}_round` } },
        };
    return ref;
  });
  if (nested) {
    blocks[`${id}_in_0`] = { type: "linear", soul_ref: "s" };
    blocks[`${id}_in`] = { type: "loop", inner_block_refs: [`${id}_in_0`], max_rounds: 2 };
    refs.unshift(`${id}_in`);
  }
  return { type: "loop", inner_block_refs: refs, max_rounds: rounds, ...endOf(ends, test) };
}

const tests: readonly object[] = [
  { eval_key: "score", operator: "gte", value: 4 },
  { eval_key: "score", operator: "lt", value: "3" },
  { eval_key: "word", operator: "equals", value: "done" },
  { eval_key: "word", operator: "not_equals", value: "more" },
  { eval_key: "any", operator: "contains", value: "2" },
  { eval_key: "gone", operator: "not_exists" },
  { eval_key: "yes", operator: "equals", value: true },
  { eval_key: "deep.word", operator: "starts_with", value: "do" },
];

function endOf(ends: string, test: number): object {
  const conditions = [tests[test % tests.length], tests[(test >> 3) % tests.length]];
  const condition =
    test % 2 === 0 ? conditions[0] : { combinator: test % 3 === 0 ? "or" : "and", conditions };
  switch (ends) {
    case "none":
      return {};
    case "condition":
      return { break_condition: condition };
    case "both":
      return { break_on_exit: "pass", break_condition: condition };
    case "retry":
      return { break_on_exit: "pass", retry_on_exit: "fail", break_condition: condition };
    default:
      return { break_on_exit: ends };
  }
}
