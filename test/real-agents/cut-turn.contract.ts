import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentRequest,
  addUsage,
  noUsage,
  type Usage,
} from "../../src/ports/agent.ts";
import { agentContext, ask } from "../agents/agent.contract.ts";
import { type ModelServer, type Step, scripted } from "../parts/model-server.ts";
import type { CliStage } from "./cli-stage.ts";
import type { Case } from "./limits.ts";
import { processesIn, whenRunning } from "./running.ts";

interface Cases {
  readonly stage: Pick<CliStage, "model" | "runs" | "writes" | "savesLate">;
  given(one: Case, title: string, body: () => Promise<void>): void;
  /** Opens the agent; `silence` is the seconds after which its model counts as lost. */
  open(options?: { readonly silence?: number }): Agent;
  server(): ModelServer;
}

/** What every agent must do with a turn that is cut off in its middle: nothing of it is bought twice. */
export function keepsItsTurn({ stage, given, open, server }: Cases): void {
  const step = (name: string) => ({ tools: [stage.runs(`echo ${name} >> steps.txt`)] });
  const five = ["s1", "s2", "s3", "s4", "s5"].map(step);
  const done = { text: "Done." };

  /** Asks as the runner does: again while what fails passes, with the same request. */
  async function asked(steps: readonly Step[], options: Asking = {}) {
    const { agent = open(), context = agentContext(), words: prompt = "Go.", ...some } = options;
    const request = ask({ model: stage.model, prompt: scripted(prompt, steps), ...some });
    let spent = noUsage;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await agent.answer(request, context);
        return { answer, spent: addUsage(spent, answer.usage), context, attempt };
      } catch (error) {
        const passes =
          error instanceof AgentError && ["rate-limit", "overloaded", "network"].includes(error.fault);
        if (!passes || attempt === 6) throw error;
        spent = addUsage(spent, error.usage);
      }
    }
  }

  const once = ({ answer, spent, context }: Awaited<ReturnType<typeof asked>>, more: Partial<Usage> = {}) => {
    expect(answer.text).toContain("Done.");
    expect(linesIn(context)).toEqual(["s1", "s2", "s3", "s4", "s5"]);
    expect(spent).toMatchObject({ input_tokens: 600, output_tokens: 120, ...more });
  };
  /** What a model that never said what its answer cost is paid: a token for four bytes of request and answer. */
  const paidByBytes = {
    input_tokens: expect.toSatisfy((tokens: number) => tokens >= 600 && tokens <= 60_000),
    output_tokens: expect.toSatisfy((tokens: number) => tokens >= 120 && tokens <= 1_000),
  };

  given("overload in a turn", "overloaded five times at its sixth step, it does each step once", async () => {
    const result = await asked([...five, { error: "busy", status: 529, times: 5 }, done], { words: "Busy?" });
    once(result);
    const requests = server()
      .seen()
      .filter(({ text }) => text.includes("Busy?"));
    expect(requests).toHaveLength(11);
    if (result.attempt > 1) expect(codes(result.answer)).toContain("TURN_CONTINUED");
  });

  given("broken stream", "its stream broken off at its sixth step, it does each step once", async () => {
    const result = await asked([...five, { breaksOff: "This is said in vain.", times: 1 }, done]);
    // What was said in vain is paid.
    once(result, { input_tokens: expect.toSatisfy((tokens: number) => tokens >= 600 && tokens <= 700) });
  });

  given(
    "cut call",
    "a call cut off in the middle of its arguments is not made, and it does each step once",
    async () => {
      const [one, two, ...rest] = five;
      const cut = { cutCall: stage.runs("echo cut >> steps.txt"), times: 1 };
      const steps = [one, two, cut, ...rest].filter((step) => step !== undefined);
      once(await asked([...steps, done]), paidByBytes);
    },
  );

  given("trickle", "an answer that trickles is cut off, one that comes slowly is not", async () => {
    const agent = open({ silence: 2 });
    const slowly = `${"Slow and long. ".repeat(10)}Done.`;
    const { answer, attempt } = await asked([{ slowly }], { agent, words: "Slowly?" });
    expect([answer.text, attempt]).toEqual([slowly, 1]);
    const [one, two, ...rest] = five;
    const trickles = { trickles: true, times: 1 } as const;
    const steps = [one, two, trickles, ...rest].filter((step) => step !== undefined);
    once(await asked([...steps, done], { agent, words: "Trickling?" }), paidByBytes);
    const requests = server()
      .seen()
      .filter(({ text }) => text.includes("Trickling?"));
    expect(requests).toHaveLength(7);
  });

  given(
    "hang in a turn",
    "after its model hung at its third step, it continues, and does each step once",
    async () => {
      const [one, two, ...rest] = five;
      const steps = [...[one, two].filter((step) => step !== undefined), { hangs: true, times: 1 } as const];
      once(await asked([...steps, ...rest, done], { agent: open({ silence: 5 }) }));
    },
  );

  given(
    "key in a turn",
    "after its key was revoked at its fourth step, it says so, and continues with a valid one",
    async () => {
      const revoked = { error: "API key has been revoked", status: 401, times: 1 };
      const [agent, context] = [open(), agentContext()];
      const steps = [...five.slice(0, 3), revoked, ...five.slice(3), done];
      const refused: unknown = await asked(steps, { agent, context }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        fault: "auth",
        isFixable: true,
        message: expect.stringMatching(/refused the secret \w+_KEY \(401\).*set a key that is valid there/),
      });
      expect(linesIn(context)).toEqual(["s1", "s2", "s3"]);
      const { answer } = await asked(steps, { agent, context });
      expect(answer.text).toContain("Done.");
      expect(codes(answer)).toContain("TURN_CONTINUED");
      expect(linesIn(context)).toEqual(["s1", "s2", "s3", "s4", "s5"]);
    },
  );

  given("killed", "killed at its fourth step, it goes on, and does each step once", async () => {
    // Some drop the call that was killed from the conversation: their model repeats it, as it sees what it left.
    const unlessDone = "grep -qs s4 steps.txt || { echo s4 >> steps.txt; sleep 3232; }";
    const waits = { tools: [stage.runs(unlessDone)] };
    const steps = [...five.slice(0, 3), waits, step("s5"), done];
    const context = agentContext();
    const killing = "Go, to be killed.";
    const asking = asked(steps, { context, words: killing });
    await whenRunning(context.workspace, "sleep 3232");
    if (stage.savesLate !== undefined) await whenSaved(context, stage.savesLate);
    for (const pid of processesIn(context.workspace)) process.kill(pid, "SIGKILL");
    const { answer } = await asking;
    expect(answer.text).toContain("Done.");
    const requests = server()
      .seen()
      .filter(({ text }) => text.includes(killing));
    expect(requests.length).toBeLessThanOrEqual(7);
    const prompt = requests.at(-1)?.text;
    expect(prompt).toMatch(/even if some are missing above[\s\S]*> \w+: [^\n]*echo s3/);
    // Some say a word of their own about the tool that was killed, and the script moves on by it.
    expect(linesIn(context)).toEqual(["s1", "s2", "s3", "s4", "s5"].slice(0, linesIn(context).length));
    expect(linesIn(context).length).toBeGreaterThanOrEqual(4);
  });

  given("tools shown", "its model is shown the loop's tools, and none that have no place in CI", async () => {
    await asked([done], { words: "Which tools?", completes: "DONE" });
    const tools =
      server()
        .seen()
        .findLast(({ text }) => text.includes("Which tools?"))?.tools ?? [];
    expect(tools.some((name) => name.includes("complete_loop"))).toBe(true);
    const unwanted = /worktree|wakeup|^cron|^monitor$|ask_?user/i;
    expect(tools.filter((name) => unwanted.test(name))).toEqual([]);
  });

  given("reading judge", "as a judge it changes nothing, whatever its model calls for", async () => {
    const context = agentContext();
    const tries = [{ tools: [stage.writes("judge.txt", "x")] }, step("judged"), done];
    const { answer } = await asked(tries, { context, role: "judge" });
    expect(answer.text).toContain("Done.");
    expect(readdirSync(context.workspace)).toEqual([]);
  });

  given("cut short", "cut off by the length of its message, it goes on writing", async () => {
    const { answer } = await asked([{ cutShort: "The first half, " }, { text: "and the second." }]);
    expect(answer.text).toBe("The first half, and the second.");
  });

  given(
    "context in a turn",
    "with its context full, it continues in a new conversation from a digest",
    async () => {
      const agent = open();
      const context = agentContext();
      const first = await asked([{ text: "I remember PLUM." }], { agent, context, words: "Remember PEAR." });
      const { session } = first.answer;
      const full = { error: "prompt is too long: maximum context length", status: 400, times: 1 };
      const { answer } = await asked([full, done], { agent, context, session, words: "And now?" });
      expect(answer.text).toBe("Done.");
      expect(answer.session).not.toBe(session);
      expect(codes(answer)).toContain("CONTEXT_FULL");
      const last = server()
        .seen()
        .findLast(({ text }) => text.includes("And now?"));
      expect(last?.text).toContain("> Remember PEAR.");
    },
  );
}

/** Resolves once a file has the call of the tool that is to be killed; the prompt, which names it too, has no call. */
const whenSaved = ({ artifacts }: AgentContext, glob: string) =>
  expect
    .poll(
      () =>
        globSync(glob, { cwd: artifacts }).some((file) =>
          /"functionCall".*sleep 3232/.test(readFileSync(join(artifacts, file), "utf8")),
        ),
      { timeout: 60_000 },
    )
    .toBe(true);

type Asking = Partial<Omit<AgentRequest, "agent">> & {
  readonly agent?: Agent;
  readonly context?: AgentContext;
  readonly words?: string;
};

const codes = ({ notices = [] }: AgentAnswer) => notices.map(({ code }) => code);

const linesIn = ({ workspace }: AgentContext): readonly string[] => {
  const file = join(workspace, "steps.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
