import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ScriptRequest } from "../../src/ports/script.ts";
import { shellAnswer } from "../../src/ports/shell.ts";
import { scriptRunner } from "../../src/processes/script.ts";

const workspace = realpathSync(mkdtempSync(join(tmpdir(), "script-")));
const artifacts = join(workspace, "artifacts");
afterAll(() => rmSync(workspace, { recursive: true, force: true }));
mkdirSync(join(workspace, "node_modules/of-the-workspace"), { recursive: true });
writeFileSync(join(workspace, "node_modules/of-the-workspace/index.js"), "module.exports = { it: 'found' };");
writeFileSync(join(workspace, "beside.py"), "it = 'found'");

type More = Partial<ScriptRequest> & { readonly PATH?: string };

async function run(runtime: ScriptRequest["runtime"], source: string, { PATH, ...more }: More = {}) {
  const signal = new AbortController().signal;
  const context = { signal, workspace, artifacts, env: { RUN: "r" }, onText() {} };
  const request = { runtime, source: { inline: source }, deps: [], env: {}, timeoutMs: undefined, ...more };
  const environment = PATH === undefined ? process.env : { ...process.env, PATH };
  return shellAnswer.parse(await scriptRunner(environment).run(request, context));
}

/** A stand-in on PATH that says how it was called. */
function echoing(name: string): string {
  const bin = mkdtempSync(join(workspace, "bin-"));
  writeFileSync(join(bin, name), '#!/bin/bash\necho "$@"; cat');
  chmodSync(join(bin, name), 0o755);
  return `${bin}:${process.env["PATH"]}`;
}

describe("a script in node", () => {
  test.each([
    [
      "TypeScript as a module",
      `import of from "of-the-workspace"; const said: string = of.it; console.log(said, await 1)`,
    ],
    ["CommonJS", `const { it } = require("of-the-workspace"); console.log(it, 1)`],
  ])("may be %s and finds the packages of the workspace", async (_, source) => {
    expect(await run("node", source)).toEqual({ exitCode: 0, stdout: "found 1\n", tail: "found 1\n" });
  });
  test("reads its variables, large ones by file", async () => {
    const source = `import { readFileSync } from "node:fs"; const { RUN, A, B, B_FILE = "" } = process.env;
      console.log(RUN, A, B, readFileSync(B_FILE, "utf8").length)`;
    const answer = await run("node", source, { env: { A: "a", B: "x".repeat(100_000) } });
    expect(answer.stdout).toBe("r a undefined 100000\n");
  });
  test("may be larger than an argument", async () => {
    expect((await run("node", `${"// long\n".repeat(50_000)}console.log("end")`)).stdout).toBe("end\n");
  });
  test("may be a file of the workspace", async () => {
    writeFileSync(join(workspace, "-it.ts"), `const code: number = 5; process.exit(code)`);
    expect(await run("node", "", { source: { file: "-it.ts" } })).toMatchObject({ exitCode: 5 });
  });
  test("that throws is an answer with the error in its tail", async () => {
    const answer = await run("node", `throw new Error("broken")`);
    expect(answer).toMatchObject({ exitCode: 1, tail: expect.stringContaining("Error: broken") });
  });
  test("over time says so", async () => {
    expect(await run("node", "setInterval(() => {}, 1000)", { timeoutMs: 300 })).toMatchObject({
      timedOut: true,
    });
  });
});

test("a script in python finds the modules of the workspace", async () => {
  expect(await run("python", "from beside import it\nprint(it)")).toMatchObject({
    exitCode: 0,
    stdout: "found\n",
  });
});

describe("a runtime", () => {
  test("uv gets the packages to install and the script by standard input", async () => {
    const { stdout } = await run("uv", "print(1)", { deps: ["httpx", "rich>=13"], PATH: echoing("uv") });
    expect(stdout).toBe("run --with httpx --with rich>=13 -\nprint(1)");
  });
  test("bun gets a file by its path", async () => {
    const { stdout } = await run("bun", "", {
      source: { file: "scripts/it.ts" },
      deps: ["zod"],
      PATH: echoing("bun"),
    });
    expect(stdout).toBe(`run ${workspace}/scripts/it.ts\n`);
  });
  test("is the one that was on PATH before an agent could put another one there", async () => {
    const folder = mkdtempSync(join(workspace, "early-"));
    const environment = { ...process.env, PATH: `${folder}:${echoing("python3")}` };
    const runner = scriptRunner(environment);
    writeFileSync(join(folder, "python3"), "#!/bin/bash\necho theirs", { mode: 0o755 });
    const context = { signal: new AbortController().signal, workspace, artifacts, env: {}, onText() {} };
    const request = {
      runtime: "python",
      source: { inline: "1" },
      deps: [],
      env: {},
      timeoutMs: undefined,
    } as const;
    expect(shellAnswer.parse(await runner.run(request, context)).stdout).toBe("-\n1");
  });
  test.each([
    ["bun", "bun is not installed, or not on PATH: get it from https://bun.sh, or use runtime: node"],
    ["uv", "or use runtime: python"],
    ["python", "python3 is not installed"],
  ] as const)("%s that is missing says so", async (runtime, sentence) => {
    await expect(run(runtime, "1", { PATH: "/no/such" })).rejects.toThrow(sentence);
  });
  test.each(["node", "python"] as const)("%s cannot install packages and says so", async (runtime) => {
    await expect(run(runtime, "1", { deps: ["left-pad"] })).rejects.toThrow(
      `${runtime} cannot install left-pad`,
    );
  });
});
