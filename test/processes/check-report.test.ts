import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shellAnswer } from "../../src/ports/shell.ts";
import { bashShell } from "../../src/processes/shell.ts";

const workspace = realpathSync(mkdtempSync(join(tmpdir(), "check-report-")));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

async function check(script: string, env: NodeJS.ProcessEnv = {}, onText: (text: string) => void = () => {}) {
  const context = {
    signal: new AbortController().signal,
    workspace,
    artifacts: join(workspace, "artifacts"),
    env: {},
    onText,
  };
  const request = { role: "check", script, env: {}, timeoutMs: undefined } as const;
  return shellAnswer.parse(await bashShell({ ...process.env, ...env }).run(request, context));
}

test("gotestsum is asked for a report, which names the tests", async () => {
  const suite = '<testsuites><testsuite><testcase classname="x" name="TestA"/></testsuite></testsuites>';
  const { tests } = await check(`printf '${suite}' > "$GOTESTSUM_JUNITFILE"; echo 'DONE 1 tests in 0.058s'`);
  expect(tests).toMatchObject({ runner: "gotestsum", passed: 1, names: { passed: ["x TestA"] } });
});

const ofPytest = (name: string) =>
  `printf '<testsuites><testsuite name="pytest"><testcase classname="x" name="${name}"/></testsuite></testsuites>' > "${"$"}{PYTEST_ADDOPTS#*=}"`;

test("the reports of two calls of pytest both count", async () => {
  const { tests } = await check(`: pytest; ${ofPytest("a")}; sleep 0.3; ${ofPytest("b")}; sleep 0.3`);
  expect(tests).toMatchObject({ runner: "pytest", names: { passed: ["x a", "x b"] } });
});

test.each(["pytest -p no:junitxml", "pytest --junitxml=mine.xml"])(
  "pytest is not asked by: %s",
  async (call) => {
    const { stdout } = await check(`: ${call}; echo "[$PYTEST_ADDOPTS]"`);
    expect(stdout.trim()).toBe("[]");
  },
);

test("pytest runs again without a report if it does not take what it was asked for", async () => {
  const call = '[ -z "$PYTEST_ADDOPTS" ] || { echo "pytest: error: no such option"; exit 4; }; echo fine';
  expect(await check(call)).toMatchObject({ exitCode: 0, stdout: "fine\n" });
});

test.each([
  ["go test ./...", "[-v]"],
  ["go test ./... 2>&1", "[-v]"],
  ["go test ./... > out.txt", "[]"],
  ["go test ./... | sort", "[]"],
  ["go generate ./... && go test ./...", "[]"],
])("go is asked to name its tests only if nothing else reads what it prints: %s", async (call, flags) => {
  const { stdout } = await check(`false && ${call}; echo "[$GOFLAGS]"`, { GOFLAGS: "" });
  expect(stdout.trim()).toBe(flags);
});

test("a summary counts that the check keeps in a file", async () => {
  const { tests } = await check("printf 'Ran 3 tests in 0.1s\\n\\nOK\\n' > unit.log");
  expect(tests).toMatchObject({ runner: "unittest", passed: 3 });
});

test("a report that the user wants elsewhere is left there", async () => {
  const { stdout } = await check('echo "$GOTESTSUM_JUNITFILE"', { GOTESTSUM_JUNITFILE: "mine.xml" });
  expect(stdout.trim()).toBe("mine.xml");
});

test("tox passes on what pytest is asked for, besides the user's own settings", async () => {
  const { stdout } = await check('echo "$TOX_OVERRIDE"', { TOX_OVERRIDE: "testenv.a=b" });
  expect(stdout.trim()).toBe(
    "testenv.a=b;testenv.pass_env+=PYTEST_ADDOPTS;env_run_base.pass_env+=PYTEST_ADDOPTS",
  );
});

test("what go prints only because its tests are to be named is not shown live", async () => {
  const go =
    "printf '=== RUN   TestA\\n--- PA'; sleep 0.1; printf 'SS: TestA (0s)\\n=== RUN   TestB\\n    b_test.go:1: no\\n--- FAIL: TestB (0s)\\nFAIL'";
  const live = async (script: string, env = {}) => {
    let shown = "";
    await check(script, { GOFLAGS: "", ...env }, (text) => (shown += text));
    return shown;
  };
  expect(await live(go)).toBe("    b_test.go:1: no\n--- FAIL: TestB (0s)\nFAIL");
  expect(await live(go, { GOFLAGS: "-v" })).toContain("=== RUN   TestA\n--- PASS: TestA");
  expect(await live("printf 'PASS\\n.'; sleep 0.1; printf '.'")).toBe("PASS\n..");
});

describe("Gradle's reports", () => {
  const results = "app/build/test-results/test";
  const report = (name: string, inside = "") =>
    `printf '<testsuite><testcase classname="C" name="${name}">${inside}</testcase></testsuite>' > ${results}/TEST-${name}.xml`;

  test("name its tests; those of tests that were not repeated count if the check passes", async () => {
    const early = join(workspace, results, "TEST-early.xml");
    mkdirSync(dirname(early), { recursive: true });
    writeFileSync(early, '<testsuite><testcase classname="C" name="early"/></testsuite>');
    utimesSync(early, 1, 1);
    const gradle = ": gradle test;";
    const failed = `${report("a")}; ${report("b", "<failure/>")}; echo '2 tests completed, 1 failed'; false`;
    expect((await check(gradle + failed)).tests).toEqual({
      runner: "gradle",
      ...{ passed: 1, failed: 1, skipped: 0 },
      names: { passed: ["C a"], failed: ["C b"], skipped: [] },
    });
    expect((await check(`${gradle} ${report("b")}`)).tests?.names?.passed).toEqual(["C a", "C b"]);
    expect((await check(`${gradle} false`)).tests).toBeUndefined();
    expect((await check("true")).tests).toBeUndefined();
    writeFileSync(join(workspace, "settings.gradle.kts"), "");
    expect((await check("true")).tests?.passed).toBe(2);
  });
});
