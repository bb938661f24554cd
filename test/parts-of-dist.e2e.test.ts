import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stdinOf } from "./parts/action-inputs.ts";

const run = promisify(execFile);
let dist: string;

beforeAll(async () => {
  dist = join(await mkdtemp(join(tmpdir(), "until-green-dist-")), "dist");
  // Not in this process, where another test may have replaced exports of Node's modules.
  await run(execPath, ["scripts/build.ts", dist]);
  // As in the package. Without it, one in the folder for temporary files would count.
  await writeFile(join(dist, "../package.json"), '{"type":"module"}');
});

afterAll(() => rm(join(dist, ".."), { recursive: true, force: true }));

/** The files that an import of these reads. */
async function readBy(...files: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set(files);
  for (const file of found) {
    const text = await readFile(join(dist, file), "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from|import)"\.\/(?:parts\/)?([^"]+)"/g))
      found.add(`parts/${name}`);
  }
  return found;
}

const action = ["action.js", "parts/run-workflow.js"];
const commandLine = ["until-green.js", "until-green-main.js"];

test.each([
  { what: "the action, up to a run", start: action, files: 8, kib: 700 },
  { what: "the action, up to a resume", start: ["action.js", "parts/resume.js"], files: 7, kib: 600 },
  {
    what: "the command line, up to a run",
    start: [...commandLine, "parts/command-line.js", "parts/run.js"],
    files: 16,
    kib: 650,
  },
  { what: "help", start: commandLine, files: 4, kib: 12 },
])("$what reads few files", async ({ start, files, kib }) => {
  const read = await readBy(...start);
  const sizes = await Promise.all([...read].map(async (file) => (await stat(join(dist, file))).size));
  expect(read.size).toBeLessThanOrEqual(files);
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1024).toBeLessThan(kib);
});

test("a run with an id reads no more before it calls its agent", async () => {
  const folder = join(dist, "..");
  const log = join(folder, "loaded");
  const hooks = `
    import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      appendFileSync(${JSON.stringify(log)}, url + "\\n");
      return next(url, context);
    } });`;
  const env = { PATH: process.env["PATH"], HOME: folder, RUNNER_TEMP: folder, GITHUB_WORKSPACE: folder };
  const started = run(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`, join(dist, "action.js")],
    { env },
  );
  const inputs = { prompt: "go", until: "DONE", "agent-command": "echo DONE", "run-id": "first-attempt" };
  started.child.stdin?.end(stdinOf(inputs));
  await started;
  const loaded = (await readFile(log, "utf8")).split("\n").filter((url) => url.includes("/dist/"));
  const names = loaded.map((url) => url.slice(url.indexOf("/dist/") + "/dist/".length));
  expect([...(await readBy(...action))]).toEqual(expect.arrayContaining(names));
  expect(names).toContain("parts/run-workflow.js");
});

test("what the programs share does nothing by itself when it is loaded", async () => {
  for (const part of ["base", "core", "workflow", "job"]) {
    const url = pathToFileURL(join(dist, "parts", `${part}.js`)).href;
    // Nor does it bring what Node itself loads late: its clients for HTTP, and cryptography for the web.
    const loaded = `process.moduleLoadList.filter((name) => name.match(/undici|_http_|webcrypto|tls.wrap/)).join()`;
    const script = `await import(${JSON.stringify(url)}); process.stdout.write(${loaded})`;
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout + stderr, part).toBe("");
  }
});

test("the command line starts with syntax that every Node reads", async () => {
  const text = await readFile(join(dist, "until-green.js"), "utf8");
  expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(text).not.toMatch(/\bawait\b|\?\.|\?\?|\bfrom\b/);
  expect((await run(process.execPath, [join(dist, "until-green.js"), "--version"])).stdout).toMatch(
    /^\d+\.\d+/,
  );
});
