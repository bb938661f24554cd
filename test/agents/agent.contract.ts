import { existsSync, mkdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Agent,
  type AgentContext,
  AgentError,
  type AgentRequest,
  agentAnswer,
} from "../../src/ports/agent.ts";
import { temporaryFolder } from "../workspace/playground.ts";

/** How an agent is brought to behave as the contract's cases need it. */
export interface AgentStage {
  /** Answers with this text. */
  says(text: string): Agent;
  /** Answers `seen` if its prompt is exactly this, anything else if not. `folder` is free to use. */
  sees(prompt: string, folder: string): Agent;
  /** Says this text, if any, and then nothing more, for ever. */
  fallsSilent(text?: string): Agent;
  /** Runs this bash script and answers when it has ended. */
  runs(script: string): Agent;
  /** Gives no answer. */
  fails(): Agent;
}

/** What every agent must do. A new agent's test is one call of this. */
export function keepsTheAgentContract(name: string, stage: AgentStage): void {
  describe(`the contract of agents: ${name}`, () => {
    test("answers with the final message, in the shape that is recorded", async () => {
      const answer = await stage.says("All done.\nReally.").answer(ask(), agentContext());
      expect(answer.text).toBe("All done.\nReally.");
      expect(agentAnswer.parse(answer)).toEqual(answer);
    });

    test("keeps head and tail of a message over 256 KiB", async () => {
      const { text } = await stage.says(`head${"x".repeat(400_000)}tail`).answer(ask(), agentContext());
      expect(text).toMatch(/^headx.*xtail$/s);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024);
    });

    test("sees a prompt of a megabyte unchanged", async () => {
      const prompt = `${"größe $HOME `x` \"'\\ 🦊\n".repeat(40_000)}end`;
      const { text } = await stage.sees(prompt, temporaryFolder()).answer(ask({ prompt }), agentContext());
      expect(text).toBe("seen");
    });

    test("starts a new conversation when asked afresh and keeps the one it is given", async () => {
      const session = async (given?: string) =>
        (await stage.says("ok").answer(ask({ session: given }), agentContext())).session;
      const [first, second] = [await session(), await session()];
      expect(first).toEqual(expect.any(String));
      expect(second).not.toBe(first);
      expect(await session(first)).toBe(first);
    });

    test("reports its output while it works", async () => {
      const received: string[] = [];
      await stage
        .says("working on it")
        .answer(ask(), agentContext({ onText: (text) => received.push(text) }));
      expect(received.join("")).toContain("working on it");
    });

    test("works in the workspace", async () => {
      const context = agentContext();
      await stage.runs("echo made > made.txt; echo done").answer(ask(), context);
      expect(readFileSync(join(context.workspace, "made.txt"), "utf8")).toBe("made\n");
    });

    test("an abort ends it within five seconds, with the reason, and leaves no process", async () => {
      const stop = new AbortController();
      const context = agentContext({ signal: stop.signal });
      const answer = stage.runs("trap '' TERM; sleep 300 & echo $! > pid; mv pid ready; wait; sleep 300");
      const asked = answer.answer(ask(), context);
      const rejected = expect(asked).rejects.toThrow("no longer wanted");
      await appearance(join(context.workspace, "ready"));
      const before = performance.now();
      stop.abort(new Error("no longer wanted"));
      await rejected;
      expect(performance.now() - before).toBeLessThan(5000);
      expect(isAlive(Number(readFileSync(join(context.workspace, "ready"), "utf8")))).toBe(false);
    });

    test("is not called when its answer is no longer wanted", async () => {
      const signal = AbortSignal.abort(new Error("too late"));
      await expect(stage.says("ok").answer(ask(), agentContext({ signal }))).rejects.toThrow("too late");
    });

    test("an agent that falls silent after some output answers with that output, marked as idle", async () => {
      const answer = await stage.fallsSilent("half of it").answer(ask({ idleMs: 500 }), agentContext());
      expect(answer).toMatchObject({ text: "half of it", idle: true });
    });

    test("an agent that falls silent without output fails as idle", async () => {
      const asked = stage.fallsSilent().answer(ask({ idleMs: 200 }), agentContext());
      await expect(asked).rejects.toMatchObject({ name: "AgentError", fault: "idle" });
    });

    test("out of time, it fails as timeout", async () => {
      const asked = stage.fallsSilent("half of it").answer(ask({ timeoutMs: 300 }), agentContext());
      await expect(asked).rejects.toMatchObject({ name: "AgentError", fault: "timeout" });
    });

    test("failing, it says what class of failure it is", async () => {
      const { message } = await failure(stage.fails().answer(ask(), agentContext()));
      expect(message).not.toBe("");
    });
  });
}

/** How a turn failed; an answer fails the test. */
export async function failure(asked: Promise<unknown>): Promise<AgentError> {
  const error = await asked.then(
    (answer) => expect.fail(`it answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentError);
  return error as AgentError;
}

/** A request with what a case does not care about filled in. */
export function ask(some: Partial<AgentRequest> = {}): AgentRequest {
  return {
    agent: undefined,
    model: undefined,
    role: "worker",
    node: "fix",
    iteration: 1,
    prompt: "Fix the tests.",
    instructions: undefined,
    schema: undefined,
    session: undefined,
    idleMs: 60_000,
    timeoutMs: undefined,
    ...some,
  };
}

/** What a run lends an agent, in new folders. */
export function agentContext(some: Partial<AgentContext> = {}): AgentContext {
  const folder = temporaryFolder();
  const [workspace, artifacts] = [join(folder, "workspace"), join(folder, "artifacts")];
  for (const dir of [workspace, artifacts]) mkdirSync(dir);
  return {
    signal: new AbortController().signal,
    workspace,
    artifacts,
    env: { UNTIL_GREEN_RUN: "run-0001" },
    tags: new Map(),
    onText: () => undefined,
    ...some,
  };
}

async function appearance(file: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(join(file, ".."), () => existsSync(file) && resolve());
  if (existsSync(file)) resolve();
  await promise;
  watcher.close();
}

/** A process that is dead but not yet collected by its parent counts as dead. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
