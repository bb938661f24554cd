import type { TestInventory } from "../../ports/tests.ts";
import { isAfterHook, isStandIn } from "./names.ts";

/** The most space that names may take in a line of the log, in characters. */
export const mostOfNames = 128 * 1024;

/** How the tests changed since the loop started. */
export interface TestChange {
  /** Names that no longer ran, and names that ran for the first time; at most 50 of each. */
  readonly gone: readonly string[];
  readonly new: readonly string[];
  /** Why this cannot count as green, as a sentence. */
  readonly complaint?: string;
  /** True if the complaint is only that names have changed of tests that failed before, and as many are new. */
  readonly isRenamed?: true;
}

interface Compared {
  readonly before: TestInventory;
  readonly after: TestInventory | undefined;
  /** Whether the test files were protected, so that no name can have changed. */
  readonly fixed: boolean;
}

/** Compares the tests of a green check with those that ran before the agent started. */
export function compareTests({ before, after, fixed }: Compared): TestChange {
  const isAnyPart = before.partial || before.unknown;
  if (after === undefined || (isAnyPart && ranOf(after) === 0)) {
    // Without reports, Gradle prints only failures.
    const isQuiet = before.runner === "gradle" && before.names === undefined;
    const complaint = `${ran(before)} before, the check no longer reports any`;
    return { gone: [], new: [], ...(isQuiet ? {} : { complaint }) };
  }
  const { gone, added, skipped } = changes(before, after);
  const complaints = [
    ...(isAnyPart ? [] : missing({ before, after, fixed })),
    failedDespiteGreen(after) ?? failedAsBefore(before, after),
    skipped.length > 0 ? `tests are skipped that ran before: ${listed(skipped)}` : undefined,
    isAnyPart ? undefined : namesGone({ gone, added, fixed }),
  ];
  const complaint = complaints.find((one) => one !== undefined);
  const change = { gone: gone.slice(0, most), new: added.slice(0, most) };
  if (complaint === undefined) return change;
  const isOnlyNames = complaint === complaints.at(-1) && gone.length <= added.length;
  const isRenamed = isOnlyNames && gone.every((name) => before.names?.failed.includes(name));
  return { ...change, complaint, ...(isRenamed && { isRenamed }) };
}

interface Names {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  readonly fixed: boolean;
}

const namesGone = ({ gone, added, fixed }: Names): string | undefined =>
  gone.length > added.length || (fixed && gone.length > 0)
    ? `tests that ran before no longer run: ${listed(gone)}`
    : undefined;

/** What is missing as a whole. Another runner, if the tests may change, need not name its tests. */
const missing = ({ before, after, fixed }: Compared & { readonly after: TestInventory }) => [
  shrunk(before, after),
  fixed || before.runner === after.runner ? unnamed(before, after) : undefined,
  fixed ? filesGone(before, after) : undefined,
];

const most = 50;

const ranOf = ({ passed, failed }: TestInventory) => passed + failed;
const ran = (inventory: TestInventory) => `${tests(ranOf(inventory))} ran`;
const tests = (count: number) => (count === 1 ? "1 test" : `${count} tests`);

function shrunk(before: TestInventory, after: TestInventory): string | undefined {
  const hooks = before.names?.failed.filter(isAfterHook).length ?? 0;
  const count = (before.largestRun ?? ranOf(before)) - hooks;
  const now = after.largestRun ?? ranOf(after);
  if (now < count) return `${tests(count)} ran before, ${now} now`;
  if (after.skipped <= before.skipped || before.names !== undefined) return undefined;
  const more = ranOf(after) + after.skipped > ranOf(before) + before.skipped;
  return more ? undefined : `${tests(before.skipped)} were skipped before, ${after.skipped} now`;
}

/**
 * A check that named its tests before must name them again. A list above a quarter of the limit is exempt: it may have
 * grown too long to be kept.
 */
function unnamed(before: TestInventory, after: TestInventory): string | undefined {
  const then = Object.values(before.names ?? {}).flat();
  if (isMissing(before.files, after.files)) return "the check listed its test files before, now it does not";
  // Jest names its tests only if there is a single test file.
  if (before.files !== undefined || !isMissing(then, after.names)) return undefined;
  return "the check named its tests before, now it gives only numbers";
}

const isMissing = (then: readonly string[] = [], now: unknown) =>
  now === undefined && then.length > 0 && then.join("").length <= mostOfNames / 4;

function filesGone({ files = [] }: TestInventory, { files: now }: TestInventory): string | undefined {
  const gone = now === undefined ? [] : files.filter((file) => !now.includes(file));
  return gone.length === 0 ? undefined : `test files that ran before no longer run: ${listed(gone)}`;
}

/**
 * Tests of a green check that failed and did not pass in a retry, as a clause; `undefined` if there are none, if the
 * check's author accepts them, or if the tool is not known to be one that the check calls.
 */
export function failedDespiteGreen(tests: TestInventory): string | undefined {
  return tests.accepted || tests.unknown ? undefined : failedIn(tests, tests.nested ? [] : failedOf(tests));
}

/** What a person should look at although it may be meant so. */
function failedAsBefore(before: TestInventory, after: TestInventory): string | undefined {
  if (after.nested && !before.nested) return "more summaries of tests are printed than before";
  if (after.unknown) return failedIn(after, failedOf(after));
  if (!after.accepted || before.failed === 0) return undefined;
  const known = new Set(before.names?.failed.map(stable));
  return failedIn(
    after.names === undefined ? after : { ...after, failedAtLast: 0 },
    failedOf(after).filter((name) => known.has(stable(name))),
  );
}

function failedIn({ failedAtLast = 0 }: TestInventory, failed: readonly string[]): string | undefined {
  if (failed.length > 0) return `tests failed: ${listed(failed)}`;
  return failedAtLast > 0 ? `${tests(failedAtLast)} failed` : undefined;
}

function failedOf({ names }: TestInventory): readonly string[] {
  const passed = new Set(names?.passed);
  return names?.failed.filter((name) => !passed.has(name)) ?? [];
}

const listed = (names: readonly string[]) =>
  names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;

/** Compares by name, without the parts that change from run to run; a name may occur several times. */
function changes(before: TestInventory, after: TestInventory) {
  if (before.names === undefined || after.names === undefined) return { gone: [], added: [], skipped: [] };
  const each = (names: readonly string[]) => (before.largestRun === undefined ? names : [...new Set(names)]);
  const now = tally(each([...after.names.passed, ...after.names.failed]));
  const idle = tally(after.names.skipped);
  const then = each([...before.names.passed, ...before.names.failed.filter((name) => !isStandIn(name))]);
  const missing = then.filter((name) => !take(now, name));
  const skipped = missing.filter((name) => take(idle, name));
  const left = tally(skipped);
  const lost = missing.filter((name) => !take(left, name));
  const added = [...now.values()].flatMap(({ name, count }) => Array.from({ length: count }, () => name));
  // A test that was skipped before and runs now is not new.
  const awake = tally(before.names.skipped);
  const fresh = added.filter((name) => !take(awake, name));
  // Tests inside modules move with them.
  const moved = tally(before.runner.startsWith("cargo") ? fresh.map(lastPart) : []);
  return { gone: lost.filter((name) => !take(moved, lastPart(name))), added: fresh, skipped };
}

const lastPart = (name: string) => name.slice(name.lastIndexOf("::") + 1);

type Tally = Map<string, { readonly name: string; count: number }>;

function tally(names: readonly string[]): Tally {
  const all: Tally = new Map();
  for (const name of names) {
    const key = stable(name);
    const entry = all.get(key) ?? { name, count: 0 };
    entry.count += 1;
    all.set(key, entry);
  }
  return all;
}

function take(all: Tally, name: string): boolean {
  const entry = all.get(stable(name));
  if (entry === undefined || entry.count === 0) return false;
  entry.count -= 1;
  return true;
}

/** A name without the times, ids and numbers that some tests put into theirs. */
const stable = (name: string) =>
  name
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b|\b0x[\da-f]+\b/gi, "#")
    .replaceAll(/\d+/g, "#");
