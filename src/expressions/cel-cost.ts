import { type CelValue, isCelList, isCelMap } from "@bufbuild/cel";

/** The budget of one evaluation, in steps of about 0.2 µs: a tenth of a second in all. */
const mostSteps = 450_000;
const longestText = 4 * 1024 * 1024;

let left = 0;

/** Starts a new evaluation with a full budget. */
export function beginCount(): void {
  left = mostSteps;
}

/** Spends steps of the current evaluation; throws once its budget is exhausted. */
export function chargeUsage(steps: number): void {
  left -= steps;
  if (left < 0) throw new Error("it takes too many steps: the lists or texts it goes through are too long");
}

/** Spends the worst-case cost of a function call, derived from its arguments. */
export function chargeCall(name: string, args: readonly CelValue[]): void {
  const cost = Object.hasOwn(costs, name) ? costs[name] : undefined;
  chargeUsage(cost === undefined ? plainCost(args) : cost(args));
}

/** Spends the cost of keeping a value; throws if a text is too long to keep. */
export function chargeResult(value: unknown): void {
  if (value instanceof Uint8Array) chargeUsage(value.length / 10);
  if (typeof value !== "string") return;
  if (value.length > longestText) throw new Error("the text would be too long");
  chargeUsage(value.length / 50);
}

/** Spends a step for each nested value. */
export function chargeValues(value: unknown): void {
  chargeUsage(1 + (isCelList(value) ? value.size : lengthOf(value) / 50));
  if (isCelList(value)) for (const element of value) chargeValues(element);
  else if (isCelMap(value)) for (const [, field] of value) chargeValues(field);
}

type Cost = (args: readonly CelValue[]) => number;

const lengthOf = (value: unknown): number =>
  typeof value === "string" || value instanceof Uint8Array ? value.length : 0;

const total = (args: readonly CelValue[]): number =>
  args.reduce<number>((sum, value) => sum + lengthOf(value), 0);

const plainCost: Cost = (args) => 3 + total(args) / 50;
const eachCharacter: Cost = (args) => 5 + total(args) * 0.75;

const everyValue: Cost = (args) => {
  for (const value of args) chargeValues(value);
  return 5;
};

// In the worst case, a search compares the needle at every position.
const search: Cost = ([text, wanted]) => {
  const [long, short] = [lengthOf(text), lengthOf(wanted)];
  const pairs = long * Math.max(0, Math.min(short, long - short + 1));
  return 5 + long / 20 + pairs / 100;
};

const format: Cost = (args) => {
  const [pattern, values] = args;
  everyValue(args);
  const texts = isCelList(values) ? total([...values]) : 0;
  return 100 + lengthOf(pattern) + texts * 0.75;
};

const time: Cost = (args) => 100 + total(args);

const costs: Readonly<Record<string, Cost>> = {
  "_==_": everyValue,
  "_!=_": everyValue,
  "@in": everyValue,
  size: (args) => 5 + total(args) / 5,
  contains: search,
  indexOf: search,
  lastIndexOf: search,
  split: (args) => search(args) + total(args) / 2,
  replace: search,
  join: everyValue,
  "strings.quote": eachCharacter,
  trim: eachCharacter,
  format,
  matches: ([text, pattern]) => matchCost(lengthOf(text), typeof pattern === "string" ? pattern : ""),
  timestamp: time,
  duration: time,
  ...Object.fromEntries(
    "Date DayOfMonth DayOfWeek DayOfYear FullYear Hours Milliseconds Minutes Month Seconds"
      .split(" ")
      .map((part) => [`get${part}`, time]),
  ),
};

/** Matching is linear in the text; a pattern with many repeated parts costs more at each position. */
function matchCost(length: number, pattern: string): number {
  const { all, wide } = sizeOf(pattern);
  const plain = /[$^]|\\b/i.test(pattern) ? 1 : 0.25;
  return 100 + 60 * all + length * (wide > 6 ? wide : plain);
}

interface Size {
  /** Positions in the pattern that consume a character, multiplied by counted repetitions. */
  readonly all: number;
  /** Positions that can consume several characters. */
  readonly wide: number;
}

const atoms = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\(\?[a-zA-Z]*[:)]|\(\?P?<\w+>|[\s\S]/g;
const repeated = /^\{(\d+)(?:,(\d*))?\}/;

interface Open {
  all: number;
  wide: number;
  isChoice: boolean;
}

function sizeOf(pattern: string): Size {
  const groups: Open[] = [{ all: 0, wide: 0, isChoice: false }];
  for (const { 0: atom, index } of pattern.matchAll(atoms)) {
    const open = groups.at(-1);
    if (open === undefined) break;
    const times = timesAfter(pattern, index + atom.length);
    if (atom.startsWith("(")) groups.push({ all: 0, wide: 0, isChoice: false });
    else if (atom === ")" && groups.length > 1) closeGroup(groups, times);
    else if (atom === "|") open.isChoice = true;
    else {
      open.all += times;
      if (atom === "." || /^(?:\[|\\[dDwWsSpP])/.test(atom)) open.wide += times;
    }
  }
  return groups.reduce((sum, group) => ({ all: sum.all + group.all, wide: sum.wide + group.wide }), {
    all: 0,
    wide: 0,
  });
}

function closeGroup(groups: Open[], times: number): void {
  const group = groups.pop();
  const outer = groups.at(-1);
  if (group === undefined || outer === undefined) return;
  outer.all += group.all * times;
  outer.wide += Math.max(group.wide, group.isChoice ? 1 : 0) * times;
}

function timesAfter(pattern: string, at: number): number {
  const [, least, most] = repeated.exec(pattern.slice(at, at + 12)) ?? [];
  return Math.max(1, Number(most || least || 1));
}
