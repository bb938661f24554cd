import { expect, test } from "vitest";
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
