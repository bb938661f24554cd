import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openIsolation } from "../../src/processes/isolation.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { useOnHost } from "./source.ts";

const environment = { PATH: process.env["PATH"] ?? "" };
const walls = await openIsolation({ environment }).walls();
const hasWall = walls.some(({ name, on }) => name === "files" && on);

async function hostOf() {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  return host;
}

const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  "max-iterations": "1",
  "check-run": "false",
};

test.runIf(hasWall).each([[{}], [{ network: "none" }]])(
  "in a job, a program behind the file wall finds nothing of the record but the artifacts (%o)",
  async (wall) => {
    const host = await hostOf();
    const agent = `cd "$RUNNER_TEMP"
found=$(find until-green* -type f | grep -v /artifacts/)
for at in until-green*; do mv "$at" moved 2> /dev/null && found="$found $at"; done
cd - > /dev/null
echo mine > "$UNTIL_GREEN_ARTIFACTS/mine.txt" || exit 1
if [ -z "$found" ]; then echo green > state.txt; fi
echo found: $found`;
    const result = await useOnHost({ host, inputs: { ...loop, ...wall, "agent-command": agent } });
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "success",
      "final-message": "found:",
    });
  },
);

test.each(["until-green", "until-green/runs", `until-green-${process.getuid?.()}`])(
  "a run whose record would be written through a link at %s is refused",
  async (name) => {
    const host = await hostOf();
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    const result = await useOnHost({
      host,
      inputs: { ...loop, "agent-command": "echo green > state.txt" },
      before(temp) {
        mkdirSync(join(temp, name, ".."), { recursive: true });
        symlinkSync(outside, join(temp, name));
      },
    });
    expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "failure", iterations: "0" });
    expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
      `/${name} is a link, but until-green stores its files there: remove it`,
    );
    expect(readdirSync(outside)).toEqual([]);
  },
);
