import { execFile, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { env, execPath } from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../../src/engine/run-events.ts";
import { builtCommandLine } from "../parts/built.ts";
import { openRepository } from "./command-line.ts";

/** Tests call nothing but this machine: `bash examples/play.sh maven`, once, fetches what Maven needs. */
const maven = "mvn --version && ls ~/.m2/repository/org/apache/maven/surefire/surefire-junit-platform";

/** The command that answers where the example's tools are installed. */
const examples = [
  { name: "pytest", tool: ["python3", "-m", "pytest", "--version"], changed: "median.py" },
  { name: "go", tool: ["go", "version"], changed: "median.go" },
  { name: "cargo", tool: ["cargo", "--version"], changed: "src/lib.rs" },
  { name: "maven", tool: ["bash", "-c", maven], changed: "src/main/java/stats/Median.java" },
];

const isHere = ([program = "", ...args]: readonly string[]) =>
  spawnSync(program, args, { stdio: "ignore" }).status === 0;

test("the loops of all examples pass the check without a warning", async () => {
  const loops = ["pytest", "go", "cargo", "maven"].map((name) =>
    resolve("examples", name, ".github/loops/fix-tests.yml"),
  );
  const { code, events } = await openRepository().untilGreen("check", ...loops);
  expect({ code, events }).toEqual({ code: 0, events: [] });
});

describe.each(examples)("the example for $name", ({ name, tool, changed }) => {
  const missing = isHere(tool) ? "" : ` (skipped: \`${tool.join(" ")}\` fails here)`;

  test.skipIf(missing !== "")(
    `ends green in one iteration, and leaves nothing behind${missing}`,
    async () => {
      const before = globSync(`examples/${name}/**`);
      const { code, events, stderr, left } = await play(name);
      expect(
        events.find(({ type }) => type === "run.ended"),
        stderr,
      ).toMatchObject({ conclusion: "success", stop_reason: "until-bash", iterations: 1 });
      expect({ code, left }).toEqual({ code: 0, left: [] });
      expect(stderr.match(/^\+\+\+ b\/.*/gm)).toEqual([`+++ b/${changed}`]);
      expect(globSync(`examples/${name}/**`)).toEqual(before);
      // A fresh clone of Go builds the standard library.
    },
    600_000,
  );
});

/** The file wall puts an empty folder of the run's own over each of these, so it makes those that are not there. */
const caches = /^(node-compile-cache|(v8-compile-cache|tsx)-\d+)$/;

/** Runs the one command of the example's page; `left` is what is in the temporary folder then. */
async function play(name: string) {
  const root = mkdtempSync(join(tmpdir(), "until-green-play-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const programs = join(root, "bin");
  const temporary = join(root, "tmp");
  for (const folder of [programs, temporary]) mkdirSync(folder);
  const main = builtCommandLine();
  writeFileSync(join(programs, "until-green"), `#!/bin/sh\nexec "${execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
  const environment = { ...env, TMPDIR: temporary, PATH: `${programs}${delimiter}${env["PATH"]}` };
  return await new Promise<{ code: number; events: RunEvent[]; stderr: string; left: string[] }>((done) => {
    execFile("bash", ["examples/play.sh", name, "--json"], { env: environment }, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      const events = lines.map((line) => JSON.parse(line) as RunEvent);
      done({
        code: error === null ? 0 : Number(error.code ?? -1),
        events,
        stderr,
        left: readdirSync(temporary, { recursive: true, encoding: "utf8" }).filter(
          (path) => !caches.test(path),
        ),
      });
    });
  });
}
