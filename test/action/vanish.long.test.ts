import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { GitHubHost } from "../parts/github-host/host.ts";
import { loopFile } from "../parts/terminal.ts";
import { cloneOf, jobOf, openRepository } from "./github-job.ts";

// Each machine is a job with git and a server behind it.
vi.setConfig({ testTimeout: 240_000 });

const run = "vanish-run-1";
const most = 4;

/** The paths of the agent calls whose answers the host has. */
function answered(host: GitHubHost): readonly string[] {
  const refs = host.git.git("for-each-ref", "--format=%(objectname)", `refs/until-green/${run}/state`);
  if (refs === "") return [];
  const commits = host.git.git("rev-list", refs).split("\n");
  const events = commits.flatMap((commit) => host.git.git("show", `${commit}:events`).split("\n"));
  return events
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .filter(({ type, port }) => type === "need.met" && port === "agent")
    .map(({ path }) => path);
}

/** What a machine does when its moment has come: the job dies, with all it has started. */
const dies = "kill -KILL $PPID; kill -KILL 0";
const hasStarted = (host: GitHubHost, path: string) =>
  `until git -C ${host.git.path} log --format= -p refs/until-green/${run}/state | grep -q '"${path}"'; do sleep 0.2; done`;

const moments = {
  "at its first call": () => ({ agent: `[ $n -eq 1 ] && { ${dies}; }` }),
  "at once at its second call, when the first is a moment ago": () => ({
    agent: `[ $n -eq 2 ] && { ${dies}; }`,
  }),
  "in its second call, when the host knows of it": (host: GitHubHost) => ({
    agent: `[ $n -eq 2 ] && { ${hasStarted(host, "/fix#2")}; ${dies}; }`,
  }),
  "in the check after its second call": () => ({ check: `[ $(wc -l < $CALLS) -eq 2 ] && { ${dies}; }` }),
} satisfies Record<string, (host: GitHubHost) => { agent?: string; check?: string }>;

test.each(Object.entries(moments))(
  "a machine that vanishes %s: what the host has is never done again, the rest at most once, with a notice",
  async (_, moment) => {
    const beside = mkdtempSync(join(tmpdir(), "vanish-"));
    onTestFinished(() => rmSync(beside, { recursive: true, force: true, maxRetries: 3 }));
    const calls = join(beside, "calls");
    const isAlive = `[ -e ${join(beside, "gone")} ]`;
    const files: Record<string, string> = { "README.md": "x\n" };
    const host = await openRepository({ files });
    const { agent = "", check = "" } = moment(host) as { agent?: string; check?: string };
    const guarded = (text: string) => (text === "" ? "" : `${isAlive} || { ${text}; };`);
    writeFileSync(
      join(beside, "agent.sh"),
      `n=$UNTIL_GREEN_ITERATION; echo $n >> ${calls}; ${guarded(agent)} echo $n > n.txt; echo ok\n`,
    );
    writeFileSync(
      join(beside, "check.sh"),
      `CALLS=${calls}; ${guarded(check)} [ "$(cat n.txt)" -ge ${most} ]\n`,
    );
    const loop = loopFile(`prompt: go\nuntil_bash: bash ${beside}/check.sh\nmax_iterations: 9`);
    writeFileSync(join(beside, "w.yml"), loop);

    const clone = await cloneOf(host);
    writeFileSync(join(clone.path, "w.yml"), loop);
    const inputs = {
      workflow: "w.yml",
      agent: `command:bash ${beside}/agent.sh`,
      "run-id": run,
      isolation: "off",
    };
    const first = await jobOf(host, { id: 11, inputs, clone });
    expect(first.ok).toBe(false);
    rmSync(dirname(clone.path), { recursive: true, force: true, maxRetries: 5 });
    writeFileSync(join(beside, "gone"), "");
    const known = answered(host);
    const before = callsIn(calls);

    const second = await jobOf(host, { id: 12, inputs: { command: "resume", "run-id": run } });
    expect(second.outputs, second.log.join("\n")).toMatchObject({
      conclusion: "success",
      iterations: String(most),
    });
    const after = callsIn(calls).slice(before.length);
    for (const path of known) expect(after).not.toContain(/#(\d+)$/.exec(path)?.[1]);
    expect(new Set(after).size).toBe(after.length);
    expect(after.at(-1)).toBe(String(most));
    expect(second.annotations[0]?.message).toMatch(/may be repeated/);
    expect(second.summary).toMatch(/BEGUN_AGAIN|CUT_OFF/);
  },
);

const callsIn = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
