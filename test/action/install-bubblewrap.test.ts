import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

const { runs } = parse(readFileSync("action.yml", "utf8"));
const step = runs.steps.find(({ name }: { name: string }) => name === "Install bubblewrap");

/** Runs the step on a machine where `bwrap` works only after these commands; returns the commands that root ran. */
function play(hosted: Readonly<Record<string, string>>, { after = "" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "install-bubblewrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const log = join(folder, "log");
  writeFileSync(log, "");
  put("bwrap.there", after === "" ? "exit 0" : `grep -q ${after} ${log}`);
  put(
    "sudo",
    `echo "$@" >> ${log}; case "$1" in tee) cat >> ${log};; apt-get) ln -sf bwrap.there ${folder}/bwrap;; esac`,
  );
  for (const name of ["bash", "grep", "ln", "cat", "true"])
    symlinkSync(`/usr/bin/${name}`, join(folder, name));
  const env = { PATH: folder, UNTIL_GREEN_ISOLATION: "auto", ...hosted };
  const { status } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
    env,
  });
  return { status, log: readFileSync(log, "utf8") };
}

const hosted = { RUNNER_ENVIRONMENT: "github-hosted", RUNNER_OS: "Linux" };

test("on hosted Ubuntu the action installs bubblewrap", () => {
  expect(play(hosted)).toEqual({
    status: 0,
    log: "apt-get install -y -qq --no-install-recommends bubblewrap\n",
  });
});

test("and where user namespaces need a profile, it gets one", () => {
  const { status, log } = play(hosted, { after: "apparmor_parser" });
  expect(status).toBe(0);
  expect(log).toContain("profile until-green-bwrap /usr/bin/bwrap flags=(unconfined) { userns, }");
  expect(log).toContain("apparmor_parser --replace /etc/apparmor.d/until-green-bwrap");
});

test.each([
  ["a runner of one's own", { RUNNER_ENVIRONMENT: "self-hosted" }],
  ["macOS", { RUNNER_OS: "macOS" }],
  ["a run without isolation", { UNTIL_GREEN_ISOLATION: "off" }],
])("for %s nothing is installed", (_, more) => {
  expect(play({ ...hosted, ...more })).toEqual({ status: 0, log: "" });
});
