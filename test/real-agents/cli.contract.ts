import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { refusalOf } from "../../src/key-proxy/answer-trouble.ts";
import { type Agent, type AgentContext, type AgentRequest, agentAnswer } from "../../src/ports/agent.ts";
import { agentContext, ask, failure } from "../agents/agent.contract.ts";
import { type Fault, openFaultyModel, says } from "../parts/faulty-model.ts";
import { type ModelServer, openModelServer, type Step, scripted } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";
import { type CliStage, givenFor, patienceFor, settingsFor, usualQuietMs } from "./cli-stage.ts";
import { runByCommandLine } from "./command-line.ts";
import { type Limits, limits } from "./limits.ts";
import { isRunning, whenRunning } from "./running.ts";
import { key } from "./stages.ts";

/** What every command-line agent must do, with the real program and a pretended model. */
export function keepsTheCliContract(stage: CliStage): void {
  const { name, model, secret, quietMs = usualQuietMs } = stage;
  const { longest = 50_000_000 }: Limits = limits[name];
  const patienceMs = patienceFor(stage);
  const given = givenFor(stage);

  describe.skipIf(!isInstalled())(`${name}, the real one (npm run test:agents installs it)`, () => {
    let server: ModelServer;
    beforeAll(async () => {
      server = await openModelServer();
    });
    afterAll(() => server?.close());

    const settings = (home: string) => settingsFor(stage, server.url, home);
    const open = ({ home = temporaryFolder(), ...more }: { home?: string; args?: string[] } = {}) =>
      openAgent(name, { cwd: "/", installed: agentClis, afterMs: 300, environment: settings(home), ...more });
    const answer = (
      steps: readonly Step[],
      { agent = open(), words: prompt = "Go.", context = agentContext(), ...some }: Given = {},
    ) => agent.answer(ask({ model, prompt: scripted(prompt, steps), ...some }), context);

    /** The error of a turn whose every request fails like this, and how often its model was asked. */
    async function failureAt(fault: Fault) {
      let asked = 0;
      const faulty = await openFaultyModel(server.url, (body) => {
        if (!body.includes("Go, in vain.")) return undefined;
        asked += 1;
        return fault;
      });
      onTestFinished(faulty.close);
      const environment = settingsFor(stage, faulty.url, temporaryFolder());
      const agent = openAgent(name, { cwd: "/", installed: agentClis, afterMs: 300, environment });
      const error = await failure(answer([], { agent, words: "Go, in vain." }));
      const { message, fault: kind, isFixable, usage } = error;
      return { asked, message, fault: kind, isFixable, usage };
    }

    given("works", "edits a file by its own tool and answers with its final message only", async () => {
      const context = agentContext();
      const received: string[] = [];
      const steps = [
        { text: "First I write.", tools: [stage.writes("made.txt", "made\n")] },
        { text: "All done.\nReally." },
      ];
      const reply = await answer(steps, { context: { ...context, onText: (text) => received.push(text) } });
      expect(agentAnswer.parse(reply)).toEqual(reply);
      expect(reply).toMatchObject({ text: "All done.\nReally.", session: expect.any(String) });
      expect(reply.usage).toMatchObject({ input_tokens: 200, output_tokens: 40 });
      expect(readFileSync(join(context.workspace, "made.txt"), "utf8").trim()).toBe("made");
      expect(received.join("")).toContain("All done.");
    });

    given("goes on", "goes on with a conversation: the model sees what was said before", async () => {
      const [agent, context] = [open(), agentContext()];
      const first = await answer([{ text: "I remember PLUM." }], { agent, context, words: "Remember PEAR." });
      const { session } = first;
      const second = await answer([{ text: "Yes." }], { agent, context, session, words: "What was it?" });
      expect(second.session).toBe(session);
      const { text } = lastSeen(server, "What was it?");
      expect(text).toContain("Remember PEAR.");
      expect(text).toContain("I remember PLUM.");
      expect(second.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
      expect(second.usage?.cost_usd).toBeCloseTo(first.usage?.cost_usd ?? 0, 6);
    });

    given(
      "goes on elsewhere",
      "continues from what was saved, with another home and another checkout",
      async () => {
        const here = agentContext();
        const steps = [{ tools: [stage.runs("echo fruit")] }, { text: "I remember FIG." }];
        const first = await answer(steps, { context: here, words: "Remember LIME." });
        const there = agentContext();
        takeAlong(here, there);
        const { session } = first;
        const second = await answer([{ tools: [stage.writes("there.txt", "there\n")] }, { text: "Yes." }], {
          context: there,
          session,
          words: "Which fruit?",
        });
        expect(second).toMatchObject({ text: "Yes.", session });
        expect(second.notices).toBeUndefined();
        const { text } = lastSeen(server, "Which fruit?");
        expect(text).toContain("Remember LIME.");
        expect(text).toContain("I remember FIG.");
        expect(readFileSync(join(there.workspace, "there.txt"), "utf8").trim()).toBe("there");
      },
    );

    given("digest", "begins anew with a digest where the conversation is gone, and says so", async () => {
      const [agent, context] = [open(), agentContext()];
      const first = await answer([{ text: "I remember KIWI." }], { agent, context, words: "Remember DATE." });
      const kept = join(context.artifacts, ".sessions", name, first.session ?? "", "files");
      const elsewhere = agentContext();
      takeAlong(context, elsewhere, kept);
      const { session } = first;
      const second = await answer([{ text: "Yes." }], { context: elsewhere, session, words: "Still there?" });
      expect(second.text).toBe("Yes.");
      expect(second.session).not.toBe(session);
      expect(second.notices?.map(({ code }) => code)).toContain("SESSION_LOST");
      const { text } = lastSeen(server, "Still there?");
      expect(text).toContain("> Remember DATE.");
      expect(text).toContain("> I remember KIWI.");
    });

    given("damaged", "begins anew with a digest where the saved conversation cannot be read", async () => {
      const [agent, context] = [open(), agentContext()];
      const { session = "" } = await answer([{ text: "I remember KIWI." }], { agent, context });
      const saved = globSync(["{.sessions,.homes}/**/*.jsonl"], { cwd: context.artifacts });
      const own = saved.filter((file) => file.includes(session.slice(0, 8)));
      expect(own).not.toEqual([]);
      for (const file of own) writeFileSync(join(context.artifacts, file), "\0{oops\n");
      const second = await answer([{ text: "Yes." }], { agent, context, session, words: "Still there?" });
      expect(second.text).toBe("Yes.");
      expect(second.notices?.map(({ code }) => code)).toContain("SESSION_LOST");
    });

    given("rate limit once", "sits a short rate limit out", async () => {
      const steps = [{ error: "slow down", status: 429, retryAfter: 1, times: 1 }, { text: "There." }];
      expect((await answer(steps, { words: "Once." })).text).toBe("There.");
    });

    given("rate limit", "fails as rate-limit, with the wait advised, when that does not pass", async () => {
      const error = await failure(answer([{ error: "slow down", status: 429, retryAfter: 1 }]));
      expect(error).toMatchObject({ fault: "rate-limit", retryAfterMs: 1000 });
    });

    given("overload", "fails as overloaded when the model's server is", async () => {
      const error = await failure(answer([{ error: "too busy", status: 529 }]));
      expect(error).toMatchObject({ fault: "overloaded" });
    });

    given("auth", "a refused key is not tried again and again, and its secret is named", async () => {
      const error = await failure(answer([{ error: "no such key", status: 401 }], { words: "Refused?" }));
      expect(error).toMatchObject({ fault: "auth", message: expect.stringContaining(secret) });
      expect(error.message).not.toContain(key);
      const tries = server.seen().filter(({ text }) => text.includes("Refused?"));
      expect(tries.length).toBeLessThanOrEqual(3);
    });

    test("no key at all fails at once, and says which is missing", async () => {
      const environment = { ...settings(temporaryFolder()), [secret]: "" };
      const agent = openAgent(name, { cwd: "/", installed: agentClis, environment });
      const error = await failure(answer([{ text: "never" }], { agent }));
      expect(error).toMatchObject({ fault: "auth", message: expect.stringContaining(secret) });
    });

    given("credit", "fails as credit when none is left", async () => {
      const error = await failure(answer([{ error: "Your credit balance is too low", status: 400 }]));
      expect(error).toMatchObject({ fault: "credit" });
    });

    given("wrong address", "asks a wrong base URL a few times at most, and says what to set", async () => {
      const { asked, ...error } = await failureAt((response) => void response.writeHead(302).end());
      expect(error).toMatchObject({ fault: "refused", isFixable: true });
      expect(error.message).toContain("redirects (302); set the base URL it redirects to");
      // Further requests may be on their way when the program is stopped.
      expect(asked).toBeLessThanOrEqual(3);
    });

    given(
      "refusal",
      "a model that refuses is asked a few times at most, and is no defect of it",
      async () => {
        const stop = {
          messages: "refusal",
          responses: "content_filter",
          chat: "content_filter",
          gemini: "SAFETY",
        };
        const { asked, ...error } = await failureAt(says({ stop }));
        expect(error).toMatchObject({ fault: "refused", isFixable: false });
        expect(error.message).toContain(refusalOf(""));
        expect(asked).toBeLessThanOrEqual(4);
        expect(error.usage).toMatchObject({ input_tokens: 100 * asked, output_tokens: 20 * asked });
      },
    );

    given("context", "fails as context when the prompt is too long for the model", async () => {
      const error = await failure(
        answer([{ error: "prompt is too long: maximum context length", status: 400 }]),
      );
      expect(error).toMatchObject({ fault: "context" });
    });

    given("idle with words", "fallen silent, it is stopped, and what it had said counts", async () => {
      const context = agentContext();
      const steps: Step[] = [{ text: "Half of it.", tools: [stage.runs("echo half; sleep 3131")] }];
      // On a busy machine a program may need longer for its first word.
      const asked = (idleMs: number) => answer(steps, { context, idleMs });
      const reply = await asked(quietMs).catch(() => asked(6 * quietMs));
      expect(reply).toMatchObject({ text: "Half of it.", idle: true });
      expect(isRunning(context.workspace)).toBe(false);
    });

    given("idle", "an agent that falls silent without output fails as idle", async () => {
      const error = await failure(answer([{ tools: [stage.runs("sleep 3131")] }], { idleMs: quietMs }));
      expect(error).toMatchObject({ fault: "idle" });
    });

    given("idle", "one whose provider falls silent fails as a network fault", async () => {
      const error = await failure(answer([{ hangs: true }], { idleMs: 6 * quietMs }));
      expect(error).toMatchObject({ fault: "network" });
    });

    given("timeout", "out of time, it fails as timeout", async () => {
      const error = await failure(answer([{ hangs: true }], { timeoutMs: quietMs }));
      expect(error).toMatchObject({ fault: "timeout" });
    });

    given(
      "cancel",
      "cancelled in the middle of a tool, it is gone within five seconds with all it started",
      async () => {
        const stop = new AbortController();
        const context = agentContext({ signal: stop.signal });
        const asked = answer([{ tools: [stage.runs("echo begun; sleep 3131")] }, { text: "never" }], {
          context,
        });
        const rejected = expect(asked).rejects.toThrow("no longer wanted");
        await whenRunning(context.workspace, "sleep 3131");
        const before = performance.now();
        stop.abort(new Error("no longer wanted"));
        await rejected;
        expect(performance.now() - before).toBeLessThan(5_000);
        expect(isRunning(context.workspace)).toBe(false);
      },
    );

    given("megabyte", "takes a prompt of nearly a megabyte, unchanged", async () => {
      const line = "größe $HOME `x` \"'\\ 🦊\n";
      const body = `${line.repeat(1_020_000 / Buffer.byteLength(line))}end`;
      expect(Buffer.byteLength(body)).toBeGreaterThan(1_000_000);
      await answer([{ text: "Read." }], { words: body });
      const { text } = lastSeen(server, "größe");
      expect(text).toContain(body);
    });

    given(
      "fifty megabytes",
      `keeps head and tail of a final message of ${longest / 1_000_000} megabytes`,
      async () => {
        const { text } = await answer([{ bytes: longest }]);
        expect(text).toMatch(/^headline of text\n.*\n\[… \d+ bytes left out …\]\n.*line of text\ntail$/s);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1024);
      },
    );

    given("result", "hands in a result that keeps a schema", async () => {
      const schema = {
        type: "object",
        properties: { done: { type: "boolean" } },
        required: ["done"],
        additionalProperties: false,
      };
      const submitted = stage.submits?.({ done: true });
      const last = { text: submitted === undefined ? '{"done":true}' : "Submitted." };
      const steps = submitted === undefined ? [last] : [{ tools: [submitted] }, last];
      expect((await answer(steps, { schema })).result).toEqual({ done: true });
    });

    given("instructions", "passes instructions on, also long ones", async () => {
      for (const instructions of ["Be brief, BERT.", `Be long, ERNIE. ${"x".repeat(200_000)}`]) {
        await answer([{ text: "Yes." }], { instructions, words: "Who?" });
        expect(lastSeen(server, "Who?").text).toContain(instructions);
      }
    });

    given(
      "judge",
      "is instructed by the checkout's files where it works, and not where it judges",
      async () => {
        const context = agentContext();
        mkdirSync(join(context.workspace, ".github"));
        for (const file of ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"])
          writeFileSync(join(context.workspace, file), "Our word is QUINCE.\n");
        await answer([{ text: "Yes." }], { context, words: "Work." });
        expect(lastSeen(server, "Work.").text).toContain("Our word is QUINCE.");
        await answer([{ text: "Yes." }], { context, words: "Judge.", role: "judge" });
        expect(lastSeen(server, "Judge.").text).not.toContain("QUINCE");
        expect(existsSync(join(context.workspace, "GEMINI.md"))).toBe(true);
      },
    );

    given("key", "never shows the real key, or the job's, to what it runs", async () => {
      const context = agentContext();
      await answer([{ tools: [stage.runs("env > seen.txt")] }, { text: "Seen." }], { context });
      const seen = readFileSync(join(context.workspace, "seen.txt"), "utf8");
      expect(seen).toContain("PATH=");
      expect(seen).not.toContain(key);
      expect(seen).not.toContain("ghs_never");
    });

    given("left running", "ends what it left running when its turn was over, and says what", async () => {
      const context = agentContext();
      const leaves = stage.runs("nohup sleep 3333 > /dev/null 2>&1 & echo left");
      const reply = await answer([{ tools: [leaves] }, { text: "I wait." }], { context });
      expect(reply).toMatchObject({ text: "I wait.", left: [expect.stringContaining("sleep 3333")] });
      expect(isRunning(context.workspace)).toBe(false);
    });

    given("tools", "is given the loop's tools: a call of complete_loop is its signal", async () => {
      const calls = [
        { name: stage.ours("checkpoint_note"), args: { text: "Half done." } },
        { name: stage.ours("complete_loop"), args: { reason: "it is done" } },
      ];
      const steps = [...calls.map((call) => ({ tools: [call] })), { text: "Bye." }];
      const reply = await answer(steps, { completes: "DONE" });
      expect(reply).toMatchObject({ text: "Bye.", signals: ["DONE"], note: "Half done." });
    });

    given("empty", "a turn that ends without a word is an error", async () => {
      expect(await failure(answer([{ text: "" }]))).toMatchObject({ fault: "empty" });
    });

    const title =
      "two iterations by the command line: a real edit, a failing check, the signal and the check at last";
    test(title, { timeout: patienceMs }, async () => {
      const folder = temporaryFolder();
      const workspace = join(folder, "checkout");
      mkdirSync(workspace);
      const git = (...args: string[]) => execFileSync("git", args, { cwd: workspace });
      git("init", "-q");
      writeFileSync(join(workspace, "README.md"), "The answer goes into answer.txt.\n");
      git("add", "-A");
      git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "begin");
      const rounds = [
        [{ tools: [stage.writes("answer.txt", "43\n")] }, { text: "I tried." }],
        [
          { tools: [stage.runs("sed -i s/43/42/ answer.txt")] },
          { text: "Fixed. <promise>COMPLETE</promise>" },
        ],
      ];
      const prompt = scripted("Round $LOOP_ITERATION.", rounds);
      const loop = { prompt, until: "COMPLETE", until_bash: "grep -q 42 answer.txt", until_mode: "all" };
      const nodes = [{ id: "fix", loop: { ...loop, max_iterations: 3 } }];
      writeFileSync(join(folder, "loop.yml"), JSON.stringify({ name: "t", agent: name, model, nodes }));
      const events = await runByCommandLine(["run", join(folder, "loop.yml")], {
        workspace,
        env: settings(folder),
        timeoutMs: patienceMs - 5_000,
      });
      const ended = events.find(({ type }) => type === "run.ended");
      expect(ended).toMatchObject({ conclusion: "success", iterations: 2 });
      expect(events.filter(({ type }) => type === "stop.tested").map(({ verdict }) => verdict)).toContain(
        "done",
      );
      expect(readFileSync(join(workspace, "answer.txt"), "utf8").trim()).toBe("42");
      expect(existsSync(join(workspace, ".sessions"))).toBe(false);
      expect(JSON.stringify(events)).not.toContain(key);
    });
  });
}

/** What a checkpoint takes to another machine: the folders that agents were given on this one stay behind. */
function takeAlong(from: AgentContext, to: AgentContext, leftOut?: string): void {
  const stays = [join(from.artifacts, ".homes"), leftOut];
  cpSync(from.artifacts, to.artifacts, { recursive: true, filter: (file) => !stays.includes(file) });
}

/** The last request that reached the model with these words in it. */
function lastSeen(server: ModelServer, prompt: string) {
  const seen = server.seen().findLast(({ text }) => text.includes(prompt));
  return seen ?? expect.fail(`the model never saw ${JSON.stringify(prompt)}`);
}

type Given = Partial<Omit<AgentRequest, "agent">> & {
  readonly agent?: Agent;
  readonly words?: string;
  readonly context?: AgentContext;
};
