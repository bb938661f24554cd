import {
  type CelEnv,
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  listType,
} from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { chargeCall, chargeResult, chargeUsage } from "./cel-cost.ts";

const { DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** Internal functions by which a loop announces its cost and appends to its list; authors cannot call them. */
export const counter = "until_green_count_";
export const appender = "until_green_append_";

// JSON does not distinguish 8 from 8.0, so arithmetic accepts both together.
const mixed = (name: string, apply: (left: number, right: number) => number): readonly CelFunc[] => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (left, right) => apply(Number(left), right)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (left, right) => apply(left, Number(right))),
];

/** Spends the steps of a loop before it starts, weighted by its body. */
const countSteps = celFunc(counter, [DYN, INT], DYN, (range, weight) => {
  if (isCelList(range) || isCelMap(range)) chargeUsage(range.size * Number(weight));
  return range;
});

// The library nests concatenated lists: a loop over many elements would build one too deep to read.
const growing = new WeakMap<CelList, CelValue[]>();
const append = celFunc(appender, [LIST, LIST], LIST, (list, more) => {
  const grown = growing.get(list);
  if (grown !== undefined) {
    grown.push(...more);
    return list;
  }
  const elements = [...list, ...more];
  const made = celList(elements);
  growing.set(made, elements);
  return made;
});

// Replaces the library's versions, which copy the text for every match.
const ofTexts: readonly CelFunc[] = [
  celMethod("replace", STRING, [STRING, STRING], STRING, function (from, to) {
    return replaced(this, { from, to, most: Number.POSITIVE_INFINITY });
  }),
  celMethod("replace", STRING, [STRING, STRING, INT], STRING, function (from, to, most) {
    return replaced(this, { from, to, most: most < 0n ? Number.POSITIVE_INFINITY : Number(most) });
  }),
  celMethod("lowerAscii", STRING, [], STRING, function () {
    return this.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }),
  celMethod("upperAscii", STRING, [], STRING, function () {
    return this.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  }),
];

interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly most: number;
}

function replaced(text: string, { from, to, most }: Replacement): string {
  let count = 0;
  return text.replaceAll(from, (match) => {
    count += 1;
    if (count > most) return match;
    chargeUsage(1 + to.length / 10);
    return to;
  });
}

const arithmetic = [
  ...mixed("_+_", (left, right) => left + right),
  ...mixed("_-_", (left, right) => left - right),
  ...mixed("_*_", (left, right) => left * right),
  ...mixed("_/_", (left, right) => left / right),
];

type Group = NonNullable<ReturnType<CelEnv["funcs"]["find"]>>;

/** The functions expressions may call, each charged to the evaluation's budget. */
export const env: CelEnv = metered(
  celEnv({ funcs: [...strings, ...ofTexts, countSteps, append, ...arithmetic] }),
);

function metered(plain: CelEnv): CelEnv {
  const known = new Map(
    [...new Set(Array.from(plain.funcs, ({ name }) => name))].flatMap((name) => {
      const group = plain.funcs.find(name);
      return group === undefined ? [] : [[name, meteredGroup(group)] as const];
    }),
  );
  const funcs = Object.create(plain.funcs, { find: { value: (name: string) => known.get(name) } });
  return Object.create(plain, { funcs: { value: funcs } });
}

function meteredGroup(group: Group): Group {
  const call: Group["call"] = (id, target, args) => {
    chargeCall(group.name, target === undefined ? args : [target, ...args]);
    const result = group.call(id, target, args);
    chargeResult(result);
    return result;
  };
  return Object.create(group, { call: { value: call } });
}
