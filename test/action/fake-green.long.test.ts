import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { checkoutFrom, useOnHost } from "./source.ts";

async function sceneOf() {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  const workspace = await checkoutFrom(host, "main");
  const kept = Buffer.from(`x-access-token:${host.token}`).toString("base64");
  await git({
    cwd: workspace,
    args: ["config", `http.${host.origin}/.extraheader`, `AUTHORIZATION: basic ${kept}`],
  });
  const bin = await mkdtemp(join(tmpdir(), "bin-"));
  onTestFinished(() => rm(bin, { recursive: true, force: true }));
  return { host, workspace, bin };
}

/** One trick a line; none may end the step, and together they may not make it green. */
const tricks = [
  // Its own copy of the action, which succeeds.
  `printf '{"prompt":"go","until-bash":"true","agent":"command:echo hi"}' | RUNNER_TEMP=$(mktemp -d -p "$RUNNER_TEMP") node "$ACTION/main.ts" > /dev/null 2>&1`,
  // Another end of the run, in its record on this machine and at the host.
  `find "$RUNNER_TEMP" -name '*.jsonl' | while read -r f; do echo '{"type":"run.ended","at":"2026-01-01T00:00:00Z","conclusion":"success"}' >> "$f"; done`,
  `git push -q origin +HEAD:refs/until-green/fake-run-1/state +HEAD:refs/heads/owned 2> push.txt`,
  // What the runner reads.
  `for f in "$RUNNER_TEMP"/output-* "$RUNNER_TEMP"/env-*; do echo conclusion=success >> "$f"; done`,
  `echo '::set-output name=conclusion::success' > /proc/$PPID/fd/1`,
  // The word, where it does not count.
  "echo 'You asked me to say <promise>DONE</promise> when the tests pass.'",
  "printf '```\\n<promise>DONE</promise>\\n```\\n> DONE\\n'",
  "echo 'It is NOT DONE'",
].join("; ");

test("tricks of an agent that has done nothing leave its run failed, and the step with it", async () => {
  const { host, workspace } = await sceneOf();
  const result = await useOnHost({
    host,
    workspace,
    env: { PATH: process.env["PATH"] ?? "", ACTION: join(process.cwd(), "action") },
    inputs: {
      prompt: "Say <promise>DONE</promise> when the tests pass",
      until: "DONE",
      "until-bash": "grep -qx green state.txt",
      "max-iterations": "1",
      "check-run": "false",
      "run-id": "fake-run-1",
      "agent-command": tricks,
      isolation: "off",
    },
  });
  expect(result.ok).toBe(false);
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "failure",
    "stop-reason": "max-iterations",
  });
  expect(host.git.git("for-each-ref", "refs/heads/owned")).toBe("");
  const state = JSON.parse(host.git.git("show", "refs/until-green/fake-run-1/state:state"));
  expect(state.status.summary).toMatchObject({ state: "ended", conclusion: "failure" });
});

test("a program that an agent puts on PATH for the check to find is named, and green with it does not count", async () => {
  const { host, workspace, bin } = await sceneOf();
  await writeFile(join(bin, "checker"), "#!/bin/sh\nexit 1\n");
  await chmod(join(bin, "checker"), 0o755);
  const result = await useOnHost({
    host,
    workspace,
    env: { PATH: `${bin}:${process.env["PATH"]}`, BIN: bin },
    inputs: {
      prompt: "Go",
      "until-bash": "checker",
      "max-iterations": "1",
      "check-run": "false",
      "agent-command": `printf '#!/bin/sh\\nexit 0\\n' > "$BIN/checker"; echo done`,
      // Behind the file wall it could not.
      isolation: "off",
    },
  });
  // The fresh clone's PATH has no folder in which a program is new.
  expect(result.outputs["conclusion"], result.log.join("\n")).toBe("failure");
  expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
    `new or changed since the run started: ${join(bin, "checker")}`,
  );
});
