import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readQuarantine } from "../../scripts/gate/quarantine.ts";
import type { FileReport } from "../../scripts/gate/reports.ts";
import { judge } from "../../scripts/gate/verdict.ts";
import { cut } from "../parts/by-duration.ts";
import { sampled } from "../parts/sample.ts";

type Tests = Readonly<Record<string, "passed" | "failed">>;

/** Reports of files: what became of the tests of each. A file without tests could not be run. */
function reports(files: Readonly<Record<string, Tests>>): ReadonlyMap<string, FileReport> {
  return new Map(Object.entries(files).map(([name, tests]) => [name, report(name, tests)]));
}

function report(name: string, tests: Tests): FileReport {
  const results = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === "failed" ? ["expected 1 to be 2\n    at a.ts:1:1"] : [],
  }));
  const isRed = results.length === 0 || results.some(({ status }) => status === "failed");
  const status = isRed ? "failed" : "passed";
  return { name, status, message: "does not load", startTime: 0, endTime: 1, assertionResults: results };
}

const nothing = { again: reports({}), onBase: reports({}), errors: [], isQuarantined: () => false };
const first = reports({ "a.ts": { one: "passed", two: "failed" }, "b.ts": { three: "passed" } });
const red = reports({ "a.ts": { one: "passed", two: "failed" } });
const green = reports({ "a.ts": { one: "passed", two: "passed" } });

describe("the verdict of the gate", () => {
  test("a test that fails twice blocks, and is named with its first lines", () => {
    const { isGreen, text } = judge({ ...nothing, first, again: red });
    expect(isGreen).toBe(false);
    expect(text).toBe("Failed:\n  a.ts: two\n    expected 1 to be 2\n2 passed, 1 failed\n");
  });

  test("a test that passes when it runs again is flaky, counts as passed and does not block", () => {
    const { isGreen, text } = judge({ ...nothing, first, again: green });
    expect(isGreen).toBe(true);
    expect(text).toMatch(/^Flaky, passed when run again alone:\n {2}a\.ts: two\n.*\n3 passed, 0 failed\n$/s);
  });

  test("a test that fails on the base commit too is already red and does not block", () => {
    const { isGreen, text } = judge({ ...nothing, first, again: red, onBase: red });
    expect(isGreen).toBe(true);
    expect(text).toMatch(/^Already red on the base commit.*\n2 passed, 0 failed\n$/s);
  });

  test("a test that passes on the base commit blocks", () => {
    expect(judge({ ...nothing, first, again: red, onBase: green }).isGreen).toBe(false);
  });

  test("a failure that did not run again blocks", () => {
    expect(judge({ ...nothing, first }).isGreen).toBe(false);
  });

  test("a test in quarantine is reported and does not block", () => {
    const { isGreen, text } = judge({
      ...nothing,
      first,
      again: red,
      isQuarantined: (_, title) => title === "two",
    });
    expect(isGreen).toBe(true);
    expect(text).toContain("In quarantine, so not blocking:\n  a.ts: two\n");
  });

  test("a file that cannot be run blocks, with its reason", () => {
    const { isGreen, text } = judge({
      ...nothing,
      first: reports({ "a.ts": {}, "b.ts": { one: "passed" } }),
    });
    expect(isGreen).toBe(false);
    expect(text).toBe("Failed:\n  a.ts\n    does not load\n1 passed, 1 failed\n");
  });

  test("another test of the file that fails only the second time is listed", () => {
    const again = reports({ "a.ts": { one: "failed", two: "passed" } });
    expect(judge({ ...nothing, first, again }).text).toContain("a.ts: one, only the second time");
  });

  test("an error that is no test blocks, and so does a gate without tests", () => {
    expect(judge({ ...nothing, first: green, errors: ["npm test failed without a failed test"] }).text).toBe(
      "Failed:\n  npm test failed without a failed test\n2 passed, 1 failed\n",
    );
    expect(judge({ ...nothing, first: reports({}) }).text).toBe(
      "Failed:\n  no test ran\n0 passed, 1 failed\n",
    );
  });
});

describe("quarantine.json", () => {
  const entry = {
    file: "test/cli/output.long.test.ts",
    test: "",
    reason: "fails one time in fifty since the change of pipes",
    date: "2026-11-20",
  };
  const read = (entries: unknown, today = "2026-11-25") => {
    const folder = mkdtempSync(join(tmpdir(), "quarantine-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "quarantine.json"), JSON.stringify(entries));
    return readQuarantine(join(folder, "quarantine.json"), new Date(today));
  };

  test("a long test may be there for seven days", () => {
    expect(read([entry])).toMatchObject({ entries: [entry], errors: [] });
    expect(read([entry], "2026-11-28").errors).toEqual([expect.stringContaining("7 days is the limit")]);
  });

  test.each([
    [
      "a test of security",
      { ...entry, file: "test/security/escapes.long.test.ts" },
      "may not be quarantined",
    ],
    ["a contract test", { ...entry, file: "test/git/git.test.ts" }, "may not be quarantined"],
    ["a unit test", { ...entry, file: "test/readme.test.ts" }, "may not be quarantined"],
    ["a test that does not exist", { ...entry, test: "no such title" }, 'has no test "no such title"'],
    ["an entry without a reason", { ...entry, reason: "" }, "reason"],
  ])("%s is refused", (_, wrong, message) => {
    expect(read([wrong]).errors).toEqual([expect.stringContaining(message)]);
  });

  test("without the file nothing is in quarantine", () => {
    expect(readQuarantine("test/no-such.json", new Date())).toEqual({ entries: [], errors: [] });
  });
});

describe("shards and samples", () => {
  test("shards hold each file once, and take about the same time", () => {
    const sizes = Array.from({ length: 40 }, (_, at) => 1 + ((at * 7919) % 100));
    const shards = cut(sizes, (size) => size, 4);
    expect(shards.flat().toSorted()).toEqual(sizes.toSorted());
    const sums = shards.map((shard) => shard.reduce((sum, size) => sum + size, 0));
    expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(100);
  });

  const cases = ["a1", "a2", "a3", "b1", "c1", "c2"];
  const trick = (one: string) => one.slice(0, 1);

  test("a sample holds one case of each trick, and is the same for the same seed", () => {
    const once = sampled(cases, trick, "1a2b");
    expect(once.map(trick)).toEqual(["a", "b", "c"]);
    expect(sampled(cases, trick, "1a2b")).toEqual(once);
  });

  test("over some seeds every case is played", () => {
    const played = Array.from({ length: 40 }, (_, seed) => sampled(cases, trick, `${seed}`)).flat();
    expect([...new Set(played)].toSorted()).toEqual(cases);
  });

  test("without a seed all cases are played", () => {
    expect(sampled(cases, trick, "all")).toEqual(cases);
  });
});
