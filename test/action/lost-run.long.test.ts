import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loopFile } from "../parts/terminal.ts";
import { annotationsOf } from "./checkout.ts";
import { eventFile, jobOf, openRepository } from "./github-job.ts";

interface Night {
  readonly hoursAhead?: number;
  readonly "day-usd"?: string;
}

vi.setConfig({ testTimeout: 300_000 });

const goal = "until-green/fix-tests";

test("a run whose machine is lost counts with what it has cost, and what a reviewer asked of it is still to be done", async () => {
  const beside = mkdtempSync(join(tmpdir(), "lost-"));
  onTestFinished(() => rmSync(beside, { recursive: true, force: true }));
  const [script, calls] = [join(beside, "agent.sh"), join(beside, "calls")];
  const usage = { input_tokens: 100, output_tokens: 10, cost_usd: 0.25 };
  const run = `echo x >> ${calls}; bash ${script}`;
  const host = await openRepository({
    files: {
      "a.txt": "red\n",
      "session.yml": JSON.stringify({ otherwise: { run, say: "Done.", usage } }),
      ".github/loops/fix-tests.yml": loopFile(
        'prompt: Fix it\nuntil_bash: "! grep -qx red *.txt"\nmax_iterations: 2',
      ).replace("name: t", "name: fix-tests"),
    },
  });
  const asked = () => (existsSync(calls) ? readFileSync(calls, "utf8").length / 2 : 0);
  const night = async (agent: string, id: number, { hoursAhead = 0, ...more }: Night = {}) => {
    writeFileSync(script, agent);
    const inputs = {
      workflow: "fix-tests",
      agent: "scripted:session.yml",
      publish: "pull-request",
      isolation: "off",
      "push-token": host.tokenOf("octocat"),
      "until-reviews": "true",
      "run-id": `night-${id}`,
      ...more,
    };
    const github = eventFile("schedule", { repository: { default_branch: "main" } });
    return await jobOf(host, { id, inputs, hoursAhead, github });
  };
  const recordOf = () => JSON.parse(host.git.git("show", `refs/until-green/goals/${goal}:goal.json`));

  const first = await night("echo green > a.txt", 11);
  expect(first.outputs, first.log.join("\n")).toMatchObject({ conclusion: "success" });
  host.reviews.set("bea", "CHANGES_REQUESTED Please say b");
  // The machine is lost in its second iteration, of which the host knows.
  const isKnown = `git -C ${host.git.path} log --format= -p refs/until-green/night-12/state | grep -q '/fix#2"'`;
  const dies = [
    "if [ -e b.txt ]; then",
    `until ${isKnown}; do sleep 0.2; done`,
    "p=$PPID; until tr '\\0' ' ' < /proc/$p/cmdline | grep -q action.js; do p=$(cut -d' ' -f4 /proc/$p/stat); done",
    "kill -KILL $p; fi",
    "echo red > b.txt",
  ].join("\n");
  const lost = await night(dies, 12, { hoursAhead: 24 });
  expect(lost.ok).toBe(false);
  expect(asked()).toBe(3);

  const capped = await night("echo b > b.txt", 13, { hoursAhead: 24, "day-usd": "0.25" });
  expect(capped.outputs, capped.log.join("\n")).toMatchObject({ conclusion: "skipped" });
  expect(annotationsOf(capped, "notice")[0]?.message).toContain("may cost $0.25 a day");
  expect(recordOf()).toMatchObject({
    attempts: [{ run: "night-11" }, { run: "night-12", green: false, reason: "interrupted", usd: 0.25 }],
  });
  expect(recordOf().claim).toBeUndefined();

  const second = await night("echo b > b.txt", 14, { hoursAhead: 48 });
  expect(second.outputs, second.log.join("\n")).toMatchObject({ conclusion: "success" });
  expect(host.git.git("show", `${goal}:b.txt`)).toBe("b");
  expect(asked()).toBe(4);
  // The same is worked on once.
  const third = await night("echo c > b.txt", 15, { hoursAhead: 72 });
  expect(third.outputs, third.log.join("\n")).toMatchObject({ conclusion: "skipped" });
  expect(asked()).toBe(4);
});
