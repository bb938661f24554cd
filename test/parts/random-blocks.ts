import { fc } from "./random.ts";

/** Random properties of a block; it references only earlier blocks, so there are no cycles. */
interface Draft {
  readonly kind: (typeof kinds)[number];
  /** One bit per earlier block: whether a loop repeats it. */
  readonly refs: number;
  /** Random choices of the blocks that follow it. */
  readonly ways: number;
  readonly rounds: number;
  readonly flags: number;
}

const kinds = ["linear", "gate", "code", "loop", "dispatch"] as const;

const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.constantFrom(...kinds, "linear", "loop"),
  refs: fc.nat(63),
  ways: fc.nat(999),
  rounds: fc.integer({ min: 1, max: 3 }),
  flags: fc.nat(255),
});

/** Random small workflows, as text of a block file. */
export const randomBlocks: fc.Arbitrary<string> = fc
  .array(draft, { minLength: 2, maxLength: 7 })
  .map((drafts) => {
    const blocks = drafts.map((it, index) => [`b${index}`, block(it, index)] as const);
    return JSON.stringify({
      workflow: {
        name: "random",
        entry: `b${drafts.length - 1}`,
        transitions: drafts.flatMap((it, index) => (it.ways % 4 === 0 ? [] : plainWay(it, index))),
        conditional_transitions: drafts.flatMap((it, index) =>
          it.ways % 4 === 0 ? waysByExit(it, index) : [],
        ),
      },
      souls: { s: { system_prompt: "you are s" } },
      blocks: Object.fromEntries(blocks),
    });
  });

const before = (index: number, dice: number) => (index === 0 ? undefined : `b${dice % index}`);

const plainWay = ({ ways }: Draft, index: number) => {
  const to = before(index, ways);
  return to === undefined ? [] : [{ from: `b${index}`, to }];
};

function waysByExit({ kind, ways }: Draft, index: number): readonly object[] {
  const to = before(index, ways);
  const other = before(index, ways >> 3);
  if (to === undefined || other === undefined) return [];
  const byExit = kind === "gate" ? { pass: to, fail: other } : { done: to, default: other };
  return [{ from: `b${index}`, ...byExit }];
}

function block(it: Draft, index: number): object {
  const has = (flag: number) => (it.flags & (1 << flag)) !== 0;
  const rescue = has(0) ? before(index, it.ways >> 5) : undefined;
  return {
    ...work(it, index),
    ...(rescue === undefined ? {} : { error_route: rescue }),
    ...(has(1) ? { retry_config: { max_attempts: 2, backoff: "exponential", backoff_base_seconds: 1 } } : {}),
    exit_conditions: [
      { contains: "DONE", exit_handle: "done" },
      { regex: "[34]$", exit_handle: "again" },
    ],
  };
}

const branches = ["x", "y"].map((id) => ({ id, soul_ref: "s", task: `look at ${id}` }));

function work(it: Draft, index: number): object {
  const has = (flag: number) => (it.flags & (1 << flag)) !== 0;
  const seen = { seen: { from: before(index + 1, it.ways) } };
  const refs = Array.from({ length: index }, (_, other) => other).filter((other) => it.refs & (1 << other));
  if (it.kind === "code") return { type: "code", code: "def main(data):\n    return data\n", inputs: seen };
  const inputs = has(3) ? seen : {};
  if (it.kind === "dispatch") return { type: "dispatch", exits: branches, stateful: has(2), inputs };
  if (it.kind === "gate" && index > 0)
    return { type: "gate", soul_ref: "s", eval_key: before(index, it.ways) };
  if (it.kind !== "loop" || refs.length === 0) {
    return { type: "linear", soul_ref: "s", stateful: has(2), inputs };
  }
  return {
    type: "loop",
    inner_block_refs: refs.map((other) => `b${other}`),
    max_rounds: it.rounds,
    ...(has(4) ? { break_on_exit: "done" } : {}),
    ...(has(5) ? { retry_on_exit: "again" } : {}),
    ...(has(6) ? { break_condition: { eval_key: "x", operator: "contains", value: "2" } } : {}),
    ...(has(7) ? { carry_context: { mode: has(2) ? "all" : "last", inject_as: "notes" } } : {}),
  };
}
