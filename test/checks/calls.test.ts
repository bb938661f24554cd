import { describe, expect, test } from "vitest";
import { callsIn, callsOf } from "../../src/checks/calls.ts";

const of = (check: string, files: Readonly<Record<string, string>> = {}) =>
  callsOf(check, { paths: Object.keys(files), text: (path) => files[path] });

const scripts = (all: Readonly<Record<string, string>>) => ({
  "package.json": JSON.stringify({ scripts: all }),
});

describe("a check may run another part of the tests each time", () => {
  test.each<[string, Readonly<Record<string, string>>?]>([
    ["pytest --lf"],
    ["pytest -q --stepwise"],
    ["pytest --testmon"],
    ["pytest --splits 2 --group 1"],
    ["npx jest -o"],
    ["npx jest --shard=1/2"],
    ["npx vitest run --changed"],
    ["npx nx affected -t test"],
    ["bundle exec rspec --only-failures"],
    ["mix test --stale"],
    ["npm test", scripts({ test: "jest --onlyChanged" })],
    ["make check", { Makefile: "check: unit\nunit:\n\tpytest --lf\n" }],
    ["./ci/test.sh", { "ci/test.sh": "pytest --last-failed\n" }],
  ])("%s", (check, files) => {
    expect(of(check, files).isPartial).toBe(true);
  });

  test.each<[string, Readonly<Record<string, string>>?]>([
    ["pytest -q"],
    ["npx jest --ci"],
    ["npm test", scripts({ test: "jest", "test:changed": "jest --onlyChanged" })],
    ["make check", { Makefile: "check:\n\tpytest\nfast:\n\tpytest --lf\n" }],
  ])("but not %s", (check, files) => {
    expect(of(check, files).isPartial).toBe(false);
  });
});

test.each([
  ["npm test || npm test", true],
  ["for i in 1 2 3; do npm test && exit 0; done; exit 1", true],
  ["for d in a b; do npm test || exit 1; done", false],
  ["npm test || npm run report", false],
])("%s repeats tests that failed: %s", (check, isRetried) => {
  expect(of(check).isRetried).toBe(isRetried);
});

test.each([
  ["npm test || true", true],
  ["a && (node --test later || true)", true],
  ["pytest -q | tee log", true],
  ["set -o pipefail; pytest -q | tee log", false],
  ["npm test || { cat log; exit 1; }", false],
  ["npm test || exit 1", false],
])("%s lets tests fail: %s", (check, accepts) => {
  expect(of(check).acceptsFailures).toBe(accepts);
});

test.each([
  ["npm test > node.log 2>&1 || { cat node.log; exit 1; }", ["node.log"]],
  ["npm test >/dev/null", []],
  ["pytest --junitxml=a.xml > a.xml", []],
])("%s keeps its output in %j", (check, outputs) => {
  expect(of(check).outputs).toEqual(outputs);
});

test.each([
  ["node --test", {}, 1],
  ["npm test", scripts({ test: "node --test" }), 1],
  ["node --test a && node --test b", {}, 2],
  ["for d in a b; do node --test $d; done", {}, Number.POSITIVE_INFINITY],
  ["npm test --workspaces", scripts({ test: "node --test" }), Number.POSITIVE_INFINITY],
])("%s with %j calls its runner so often: %d", (check, files, times) => {
  expect(callsIn(of(check, files), ["node"])).toBe(times);
});
