import type { TestInventory } from "../ports/tests.ts";
import { toArray } from "../status/bounded-list.ts";
import type { IterationRow, LoopSummary, StopSeen } from "../status/loop-summary.ts";
import type { RunDetails } from "../status/run-details.ts";
import type { Summary } from "../status/run-summary.ts";
import { iterationTitle, titleOf } from "../status/titles.ts";
import { stripControlCharacters } from "./escape.ts";
import { failingCheckOf } from "./failing-check.ts";
import { attemptText, isWorthShowing, verdictText } from "./verdict-text.ts";

export interface JunitDetails extends Pick<RunDetails, "iterations"> {
  /** The tests of each check, by the path of its stop, such as `/fix#2?1`. */
  readonly tests: ReadonlyMap<string, TestInventory>;
}

/**
 * A run as a JUnit report, which CI systems show as tests: a suite for the run, one for each loop with a case per
 * iteration, and one with the tests of the last check. Only what decided the run is a failure, because readers fail a
 * job for each one: a red check that a later iteration fixed is skipped.
 */
export function junit(summary: Summary, details: JunitDetails): string {
  const name = summary.workflow || summary.run;
  const loops = toArray(summary.loops);
  const suites = [
    suite(name, [runCase(summary, name)]),
    ...loops.map((loop) => suite(`${name} · ${loop.node}`, loopCases({ summary, loop, details }))),
    ...testSuites(summary, details.tests),
  ].filter(({ cases }) => cases.length > 0);
  const all = suites.flatMap(({ cases }) => cases);
  const at = summary.startedAt === undefined ? "" : ` timestamp="${summary.startedAt.replace(/\..*$/, "")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${attribute(name)}" ${counts(all, summary.activeMs)}>`,
    ...suites.flatMap((one) => suiteLines(one, at)),
    "</testsuites>",
    "",
  ].join("\n");
}

interface Case {
  readonly classname: string;
  readonly name: string;
  readonly ms: number;
  readonly result: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  readonly message?: string;
  /** The check's output. */
  readonly text?: string | undefined;
}

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

const suite = (name: string, cases: readonly Case[]): Suite => ({ name, cases });

const isGreen = ({ conclusion }: Summary) => conclusion === "success" || conclusion === "skipped";

function runCase(summary: Summary, name: string): Case {
  const about = { classname: "until-green", name, ms: summary.activeMs };
  if (isGreen(summary)) return { ...about, result: "passed" };
  const message = summary.because ?? summary.stopReason ?? summary.state;
  return { ...about, result: "failed", message, text: failingCheckOf(summary)?.tail };
}

interface OfLoop {
  readonly summary: Summary;
  readonly loop: LoopSummary;
  readonly details: JunitDetails;
}

function loopCases({ summary, loop, details }: OfLoop): readonly Case[] {
  const { before, rows } = loop;
  const isRed = !isGreen(summary) && loop.status !== "completed";
  const last = toArray(rows).at(-1);
  const about = (name: string, number: number, ms = 0): CaseFacts => ({
    classname: `${summary.workflow || summary.run}.${loop.node}`,
    name,
    ms,
    text: details.iterations.get(`${loop.path}#${number}`)?.tail,
  });
  const caseOfRow = (row: IterationRow) =>
    caseOf(about(iterationTitle(loop, loop.node, row.number), row.number, row.durationMs), row.stops, {
      decides: isRed && (loop.mode !== "repeat" || row === last),
      more: attemptText(row, loop),
    });
  const left: Case = { ...about(`${rows.left} more iterations`, -1), result: "skipped", message: "left out" };
  return [
    ...(before === undefined
      ? []
      : [caseOf(about(`${loop.node} · before the first iteration`, 0), [before])]),
    ...rows.first.map(caseOfRow),
    ...(rows.left === 0 ? [] : [left]),
    ...rows.last.map(caseOfRow),
  ];
}

type CaseFacts = Omit<Case, "result" | "message">;

interface Weight {
  /** True if this one made the run fail. */
  readonly decides: boolean;
  readonly more: readonly string[];
}

/** A case passes if a stop said done; a red case that did not decide is skipped. */
function caseOf(about: CaseFacts, stops: readonly StopSeen[], { decides, more }: Weight = noWeight): Case {
  const { text, ...rest } = about;
  if (stops.some(({ verdict }) => verdict === "done")) return { ...rest, result: "passed" };
  const messages = [...more, ...stops.filter(isWorthShowing).map((stop) => verdictText(stop))];
  return {
    ...rest,
    result: decides ? "failed" : "skipped",
    message: messages.join("; ") || "no check ran",
    text,
  };
}

const noWeight: Weight = { decides: false, more: [] };

/** The tests of each loop's last check, or else the failing tests that the run's last check named. */
function testSuites(summary: Summary, tests: JunitDetails["tests"]): readonly Suite[] {
  const name = summary.workflow || summary.run;
  const loops = toArray(summary.loops);
  const failing = failingCheckOf(summary)?.failing ?? [];
  // The names of the inventory may lack the suites that the output names.
  const whyFailed = (test: string) => {
    const [only, ...others] = failing.filter(
      ({ name: shown }) => shown === test || shown.endsWith(` ${test}`),
    );
    return (others.length === 0 ? only?.message : undefined) ?? "fails";
  };
  const suites = loops.flatMap((loop) => {
    const paths = toArray(loop.rows).flatMap((row) => row.stops.map(({ path }) => path));
    const path = paths.findLast((one) => tests.get(one)?.names !== undefined);
    const names = path === undefined ? undefined : tests.get(path)?.names;
    if (path === undefined || names === undefined) return [];
    const about = { classname: `${name}.${loop.node}.tests`, ms: 0 };
    const green = isGreen(summary);
    return suite(`${name} · ${titleOf(path, loops)} · tests`, [
      ...names.failed.map(
        (test): Case => ({
          ...about,
          name: test,
          result: green ? "skipped" : "failed",
          message: green ? "fails, and the check passes" : whyFailed(test),
        }),
      ),
      ...names.passed.map((test): Case => ({ ...about, name: test, result: "passed" })),
      ...names.skipped.map((test): Case => ({ ...about, name: test, result: "skipped" })),
    ]);
  });
  if (suites.length > 0) return suites;
  const cases = failing.map(
    ({ name: test, message = "fails" }): Case => ({
      classname: `${name}.tests`,
      name: test,
      ms: 0,
      result: "failed",
      message,
    }),
  );
  return [suite(`${name} · tests`, cases)];
}

function suiteLines({ name, cases }: Suite, at: string): readonly string[] {
  const ms = cases.reduce((all, one) => all + one.ms, 0);
  const skipped = cases.filter(({ result }) => result === "skipped").length;
  const head = `<testsuite name="${attribute(name)}" ${counts(cases, ms)} skipped="${skipped}"${at}>`;
  return [head, ...cases.map(caseLine), "</testsuite>"];
}

/** GitHub and Jenkins compute these sums themselves, but the schema requires them. */
function counts(cases: readonly Case[], ms: number): string {
  const failures = cases.filter(({ result }) => result === "failed").length;
  return `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds(ms)}"`;
}

function caseLine({ classname, name, ms, result, message = "", text = "" }: Case): string {
  const open = `<testcase classname="${attribute(classname)}" name="${attribute(name)}" time="${seconds(ms)}"`;
  if (result === "passed") return `${open}/>`;
  const messageAttribute = message === "" ? "" : ` message="${attribute(message)}"`;
  if (result === "failed") return `${open}><failure${messageAttribute}>${content(text)}</failure></testcase>`;
  const out = text === "" ? "" : `<system-out>${content(text)}</system-out>`;
  return `${open}><skipped${messageAttribute}/>${out}</testcase>`;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(3);

/** Removes characters that XML 1.0 forbids. */
const content = (text: string) =>
  stripControlCharacters(text)
    .replace(/[\uFFFE\uFFFF]/g, "�")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");

const attribute = (text: string) => content(text).replace(/"/g, "&quot;").replace(/\s+/g, " ");
