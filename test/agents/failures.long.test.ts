import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { candidates, openAgent } from "../../src/agents/index.ts";
import { probeAgents } from "../../src/agents/select-agent.ts";
import type { AgentRequest } from "../../src/ports/agent.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentContext, ask } from "./agent.contract.ts";
import { type Fake, fakes, layProgram } from "./fake-programs.ts";

const { PATH = "" } = process.env;

/** The agent, over a program that runs this bash script; `answer` in it prints the good answer. */
function open(fake: Fake, script: string, { version = fake.version, asked }: Built = {}) {
  const folder = layProgram(fake, { script, version });
  const environment = { PATH: `${folder}:${PATH}`, HOME: temporaryFolder(), [fake.secret]: "sk-test" };
  return openAgent(fake.agent, { cwd: "/", environment, afterMs: 100, version: asked });
}

interface Built {
  readonly version?: string;
  readonly asked?: string;
}

const answered = (agent: ReturnType<typeof open>, some: Partial<AgentRequest> = {}) =>
  agent.answer(ask(some), agentContext());

describe.each(fakes)("$agent, where its program", (fake) => {
  const made = `${fake.agent} works by itself here; until-green is made for version`;

  test("is missing: how to install it", async () => {
    const environment = { PATH: temporaryFolder(), [fake.secret]: "sk-test" };
    const agent = openAgent(fake.agent, { cwd: "/", environment });
    await expect(answered(agent)).rejects.toMatchObject({
      fault: "missing",
      message: expect.stringContaining(`npm install --global ${fake.package}`),
    });
  });

  test("may not be executed: which file, and what it lacks", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, fake.agent), "");
    const environment = { PATH: folder, [fake.secret]: "sk-test" };
    await expect(answered(openAgent(fake.agent, { cwd: "/", environment }))).rejects.toMatchObject({
      fault: "missing",
      message: expect.stringMatching(`^${folder}/${fake.agent} may not be executed: give it the x perm`),
    });
  });

  test("is of an untested version: it works, with one notice", async () => {
    const agent = open(fake, "answer", { version: "99.0.0" });
    const codes = async () => (await answered(agent)).notices?.map(({ code }) => code) ?? [];
    expect(await codes()).toContain("AGENT_VERSION");
    expect(await codes()).not.toContain("AGENT_VERSION");
  });

  test("is of such a version: `doctor` reports it", () => {
    const only = candidates.filter(({ name }) => name === fake.agent);
    const seen = (version: string) =>
      probeAgents(only, { PATH: layProgram(fake, { script: "answer", version }) })[0]?.found?.isUntested;
    expect([seen("99.0.0"), seen(fake.version)]).toEqual([true, false]);
  });

  test("is of another version than was asked for: how to get that one", async () => {
    const agent = open(fake, "answer", { asked: "1.2.3" });
    await expect(answered(agent)).rejects.toMatchObject({
      fault: "missing",
      message: expect.stringContaining(`npm install --global ${fake.package}@1.2.3`),
    });
  });

  test.each([
    ["prints what is no JSON", "printf '{\"type\": oops\\n\\x00\\xff<html>\\n'", "exited with 0.*<html>"],
    ["prints JSON that is no event", "echo '{\"type\":7}'; echo '[]'; echo 'null'", "exited with 0.*null"],
    ["exits with 0 and no word", "exit 0", "exited with 0 before its turn was over"],
    ["fails at its start", "echo 'no such flag' >&2; exit 64", "no such flag"],
    ["crashes", "kill -SEGV $$", "was ended by SIGSEGV before its turn was over"],
    ["crashes below a launcher", "exit 139", "exited with 139 \\(SIGSEGV\\) before its turn was over"],
  ])("%s: that it did not answer, what it said last, and what to look at", async (_, script, expected) => {
    await expect(answered(open(fake, script))).rejects.toMatchObject({
      fault: "crash",
      message: expect.stringMatching(new RegExp(`^${fake.agent}.*${expected}.*See whether ${made}`, "s")),
    });
  });

  test("is killed: that it was killed from outside, and the run stops and can be resumed", async () => {
    await expect(answered(open(fake, "kill -9 $$"))).rejects.toMatchObject({
      fault: "crash",
      isFixable: true,
      message: expect.stringMatching(
        /was killed \(SIGKILL\) before its turn was over.*because memory ran out/s,
      ),
    });
  });

  test("complains at a length of 100 megabytes and answers: the answer counts, and little of it is kept", async () => {
    const noise = "head -c 100000000 /dev/zero | tr '\\0' 'x' >&2";
    expect((await answered(open(fake, `${noise}; answer`))).text).toBe("Done.");
    const failed = answered(open(fake, `${noise}; exit 3`)).catch((error: Error) => error.message);
    expect(String(await failed).length).toBeLessThan(1_000);
  });

  test("answers and leaves something running: the answer counts, and what ran is ended and named", async () => {
    const context = agentContext();
    const pid = join(context.workspace, "pid");
    const started = "until grep -q sleep /proc/$!/comm; do :; done";
    const agent = open(fake, `setsid sleep 3535 > /dev/null 2>&1 & echo $! > ${pid}; ${started}; answer`);
    const answer = await agent.answer(ask(), context);
    expect(answer).toMatchObject({ text: "Done.", left: ["sleep 3535"] });
    await gone(pid);
  });

  test("falls silent and ignores what it is stopped with: it is killed, and the answer fails as idle", async () => {
    const context = agentContext();
    const pid = join(context.workspace, "pid");
    const agent = open(fake, `trap '' TERM INT; echo $$ > ${pid}; while :; do sleep 1; done`);
    await expect(agent.answer(ask({ idleMs: 1_000 }), context)).rejects.toMatchObject({
      fault: "idle",
      message: expect.stringContaining("said nothing for 1000 ms"),
    });
    await gone(pid);
  });

  test("answers and exits with 1: its own last event counts, where it has one", async () => {
    const asked = answered(open(fake, "answer; exit 1"));
    if (fake.agent === "opencode") await expect(asked).rejects.toMatchObject({ fault: "crash" });
    else expect((await asked).text).toBe("Done.");
  });
});

/** Resolves once the process with the number in a file is gone; a dead one that nobody reaped has no open files. */
const gone = (pid: string) =>
  expect.poll(() => existsSync(`/proc/${readFileSync(pid, "utf8").trim()}/fd/0`)).toBe(false);

test("a folder of the program's name on the PATH is passed over", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "codex"));
  const environment = { PATH: folder, OPENAI_API_KEY: "sk-test" };
  await expect(answered(openAgent("codex", { cwd: "/", environment }))).rejects.toMatchObject({
    fault: "missing",
    message: expect.stringContaining("npm install --global @openai/codex"),
  });
});
