import { expect, test } from "vitest";
import { failingCount } from "../../src/checks/failing-count.ts";
import { failingTests } from "../../src/checks/failing-tests.ts";
import { readTests } from "../../src/checks/inventory/read-tests.ts";

const of = (pass: number, fail: number, name: string) => [
  `${fail > 0 ? "✖" : "✔"} ${name} (4.06ms)`,
  `ℹ tests ${pass + fail}`,
  "ℹ suites 0",
  `ℹ pass ${pass}`,
  `ℹ fail ${fail}`,
  "ℹ cancelled 0",
  "ℹ skipped 0",
  "ℹ todo 0",
  ...(fail > 0 ? ["✖ failing tests:", `✖ ${name} (1ms)`] : []),
];

/** Two packages that run at the same time. */
const output = (mark: (name: string) => string) =>
  of(0, 1, "more")
    .flatMap((line, at) => [mark("b") + line, mark("a") + (of(1, 0, "adds")[at] ?? "")])
    .join("\n");

test.each([
  [
    "pnpm",
    `Scope: 2 of 3 workspace projects\npackages/a test$ node --test\npackages/b test$ node --test\n${output((name) => `packages/${name} test: `)}\npackages/a test: Done\npackages/b test: Failed\n`,
  ],
  [
    "Yarn",
    `[@x/a]: Process started\n[@x/b]: Process started\n${output((name) => `[@x/${name}]: `)}\n[@x/a]: Process exited (exit code 0), completed in 0s\nDone in 0s\n`,
  ],
  [
    "concurrently",
    `${output((name) => `[${name}] `)}\n[a] npm run test:a exited with code 0\n[b] npm run test:b exited with code 1\n`,
  ],
])("tests that %s runs side by side are counted and named", (_, text) => {
  expect(readTests(text)).toEqual({
    runner: "node:test",
    passed: 1,
    failed: 1,
    skipped: 0,
    names: { passed: ["adds"], failed: ["more"], skipped: [] },
    failedAtLast: 1,
  });
});

const started = (mark: string, name: string) => `${mark}> @x/${name}@1.0.0 test\n${mark}> node --test\n`;

/** As these tools print it, with their own lines around it. */
const more: readonly (readonly [tool: string, text: string, label: string])[] = [
  [
    "Turborepo",
    `   • Packages in scope: @x/a, @x/b\n   • Running test in 2 packages\n\n@x/b:test: cache miss, executing 8ff0e0f8\n@x/a:test: cache hit, replaying logs c48cbbc0\n${output((name) => `@x/${name}:test: `)}\n@x/b#test: command (/w/packages/b) npm run test exited (1)\n\n Tasks:    1 successful, 2 total\nCached:    0 cached, 2 total\nFailed:    @x/b#test\n`,
    "@x/b:test",
  ],
  [
    "Lerna",
    `lerna notice cli v8.2.4\n\n> @x/a:test\n\n${started("@x/a: ", "a")}${started("@x/b: ", "b")}${output((name) => `@x/${name}: `)}\n`,
    "@x/b",
  ],
  [
    "Nx",
    ` NX   Running target test for 2 projects:\n\n> nx run @x/a:test\n\n${started("@x/a: ", "a")}${started("@x/b: ", "b")}${output((name) => `@x/${name}: `)}\n`,
    "@x/b",
  ],
  [
    "npm-run-all",
    `${started("[test:a] ", "a")}${started("[test:b] ", "b")}${output((name) => `[test:${name}] `)}\nERROR: "test:b" exited with 1.\n`,
    "[test:b]",
  ],
  [
    "Docker Compose",
    `Attaching to a-1, web_b-1\n${output((name) => (name === "a" ? "a-1      | " : "web_b-1  | "))}\nweb_b-1 exited with code 1\n`,
    "web_b-1",
  ],
  [
    "Docker Compose, with times",
    `Attaching to a-1, b-1\n${output((name) => `${name}-1  | 2026-11-29T10:00:00.123456789Z `)}\nb-1 exited with code 1\n`,
    "b-1",
  ],
  [
    "act",
    `[CI/a] ⭐ Run Main npm test\n[CI/b] ⭐ Run Main npm test\n${output((name) => `[CI/${name}]   | `)}\n[CI/a]   ✅  Success - Main npm test\n[CI/b]   ❌  Failure - Main npm test\n`,
    "[CI/b]",
  ],
];

test.each(more)(
  "tests that %s runs side by side are counted and named with their label",
  (_, text, label) => {
    expect(readTests(text)).toMatchObject({
      ...{ passed: 1, failed: 1, skipped: 0 },
      names: { passed: ["adds"], failed: ["more"], skipped: [] },
    });
    expect(failingCount(text)).toBe(1);
    expect(failingTests(text)).toEqual([{ name: `more (${label})` }]);
  },
);

test("times before almost all lines are no part of the output", () => {
  const lines = of(2, 1, "more").map((line, at) => `2026-11-29T10:00:0${at % 10}.1234567Z ${line}`);
  expect(readTests(lines.join("\n"))).toMatchObject({ passed: 2, failed: 1 });
  const ofJob = lines.map((line) => `test\tRun npm test\t${line}`);
  expect(readTests(ofJob.join("\n"))).toMatchObject({ passed: 2, failed: 1 });
});

test("what several packages print one after another is added up, and a script that runs again counts once", () => {
  const part = (name: string, fail: number) => `\n${started("", name)}\n${of(1, fail, name).join("\n")}\n`;
  const text = part("a", 1) + part("b", 0);
  expect(failingCount(text)).toBe(1);
  expect(readTests(text)).toMatchObject({ passed: 2, failed: 1 });
  expect(failingCount(part("a", 1) + part("a", 0))).toBe(0);
});

test("what Turborepo leaves out because it knows it is not compared", () => {
  const text = `@x/a:test: cache hit, suppressing logs c4\n@x/b:test: cache miss, executing 8f\n${of(
    1,
    1,
    "more",
  )
    .map((line) => `@x/b:test: ${line}`)
    .join("\n")}`;
  expect(readTests(text)).toBeUndefined();
  expect(failingCount(text)).toBe(1);
});

test("a line in brackets is no such mark elsewhere", () => {
  const text = "[info] ℹ tests 1\n[info] ℹ pass 1\n[info] ℹ fail 0\n";
  expect(readTests(text)).toBeUndefined();
});

test("Meson names its tests", () => {
  const text =
    "1/3 adds        OK              0.01s\n2/3 x:unit / zero FAIL            0.02s   exit status 1\n3/3 later       SKIP            0.01s\n\nOk:                 1   \nExpected Fail:      0   \nFail:               1   \nUnexpected Pass:    0   \nSkipped:            1   \nTimeout:            0   \n";
  expect(readTests(text)?.names).toEqual({
    passed: ["adds"],
    failed: ["x:unit / zero"],
    skipped: ["later"],
  });
});
