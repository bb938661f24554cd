import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execPath } from "node:process";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./workspace/playground.ts";

const script = join(import.meta.dirname, "../.ci/count.mjs");

type File = Record<string, "passed" | "failed">;

/** A folder of vitest's reports: by step, what became of the tests of each file. */
function reports(steps: Record<string, Record<string, File>>): string {
  const folder = temporaryFolder();
  for (const [step, files] of Object.entries(steps)) {
    mkdirSync(join(folder, step));
    writeFileSync(
      join(folder, step, "1.json"),
      JSON.stringify({ testResults: Object.entries(files).map(result) }),
    );
  }
  return folder;
}

const result = ([name, tests]: [string, File]) => ({
  name,
  status:
    Object.values(tests).every((status) => status === "passed") && name !== "broken.ts" ? "passed" : "failed",
  message: "does not load",
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === "failed" ? ["expected 1 to be 2"] : [],
  })),
});

function run(...args: string[]) {
  try {
    return { exit: 0, said: execFileSync(execPath, [script, ...args], { encoding: "utf8" }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { exit: status, said: stdout };
  }
}

describe("what CI counts", () => {
  const red = { "a.ts": { one: "passed", two: "failed" }, "b.ts": { three: "passed" } } as const;

  test("every failed test is named, with its first lines", () => {
    const { exit, said: output } = run(reports({ 1: red }), "1");
    expect(exit).toBe(1);
    expect(output).toBe("Failed:\n  a.ts: two\n    expected 1 to be 2\n2 passed, 1 failed\n");
  });

  test("what passes the second time counts as passed, and is listed", () => {
    const { exit, said: output } = run(
      reports({ 1: red, "1.again": { "a.ts": { one: "passed", two: "passed" } } }),
      "0",
    );
    expect(exit).toBe(0);
    expect(output).toMatch(
      /^Failed, then passed when run again:\n {2}a\.ts: two\n.*\n3 passed, 0 failed\n$/s,
    );
  });

  test("what failed twice is red", () => {
    const { exit, said: output } = run(
      reports({ 1: red, "1.again": { "a.ts": { one: "passed", two: "failed" } } }),
      "1",
    );
    expect(exit).toBe(1);
    expect(output).toMatch(/^Failed:\n {2}a\.ts: two\n.*\n2 passed, 1 failed\n$/s);
  });

  test.each([
    [
      "a step that failed without a test, as lint does",
      { 1: { "a.ts": { one: "passed" } } },
      "1 passed, 1 failed\n",
    ],
    ["no tests at all", {}, "0 passed, 1 failed\n"],
  ] as const)("%s is red", (_, steps, last) => {
    const { exit, said: output } = run(reports(steps), last.startsWith("0") ? "0" : "1");
    expect(exit).toBe(1);
    expect(output).toBe(last);
  });

  test("a file that does not load is named", () => {
    const { said: output } = run(reports({ 1: { ...red, "broken.ts": {} } }), "1");
    expect(output).toContain("  broken.ts\n    does not load\n");
  });

  test("if vitest itself crashes, what only the second run reached counts", () => {
    const [a, b] = [{ "a.ts": { one: "passed" } }, { "b.ts": { two: "passed" } }] as const;
    expect(run(reports({ 1: a, "1.again": { ...a, ...b } }), "0").said).toBe("2 passed, 0 failed\n");
  });

  test("up to five failed files run again; not more, and none if no test was started", () => {
    const failed = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`${i}.ts`, { one: "failed" } as const]));
    const again = (files: Record<string, File>) => run("--failed", join(reports({ 1: files }), "1"));
    expect(again(red)).toEqual({ exit: 0, said: "a.ts\n" });
    expect(again(failed(5)).exit).toBe(0);
    expect(again(failed(6)).exit).toBe(1);
    expect(again({ "b.ts": { three: "passed" } })).toEqual({ exit: 0, said: "" });
    expect(run("--failed", join(temporaryFolder(), "1")).exit).toBe(1);
  });
});
