import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CliAgentOptions, cliAgent } from "../../../src/agents/cli/cli-agent.ts";
import type { CliDefinition, CliInvocation, CliProcess } from "../../../src/agents/cli/cli-definition.ts";
import { textIn } from "../../../src/agents/cli/event-fields.ts";
import { createMessageBuffer } from "../../../src/agents/cli/event-reader.ts";
import type { JsonObject } from "../../../src/agents/cli/json-lines.ts";
import type { Usage } from "../../../src/ports/agent.ts";
import { openEndpoint, saying } from "../../key-proxy/endpoint.ts";
import { temporaryFolder } from "../../workspace/playground.ts";
import { agentContext, ask, keepsTheAgentContract } from "../agent.contract.ts";

/** What a pretended program does: source for Node, which may use `said(text)` and `over()`. */
function pretended(source: string, more: Partial<CliDefinition> = {}): CliDefinition {
  const file = join(temporaryFolder(), "program.mjs");
  writeFileSync(file, `${prelude}\n${source}`);
  return {
    name: "pretended",
    program: { name: "node", package: "pretended", from: "1.0.0", below: "2.0.0" },
    keys: [],
    hasLogin: () => true,
    state: () => [],
    stop: { signal: "SIGTERM", graceMs: 1000 },
    totals: { tokens: false, cost: false },
    structured: "submit_result",
    lostSession: /no such conversation/,
    sessions: { travel: true, keep: () => false, isHere: () => true, bring: () => true },
    begin: (turn) => ({ args: [file, turn.session.id], env: {}, ...reading(turn) }),
    ...more,
  };
}

const prelude = `
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const tell = (event) => console.log(JSON.stringify(event));
const said = (text) => tell({ said: text });
const over = () => tell({ over: true });
const prompt = readFileSync(0, "utf8");
`;

function reading(turn: CliInvocation): Pick<CliProcess, "read" | "result"> {
  const buffer = createMessageBuffer();
  let ended = false;
  return {
    read(event) {
      const text = textIn(event, "said");
      if (text !== undefined) buffer.whole(text);
      if (text !== undefined) turn.say(text);
      if (event["hopeless"] === true) turn.giveUp({ fault: "auth", message: "the key was refused" });
      if (event["over"] === true) ended = true;
    },
    result: () => ({ text: buffer.text(), ended }),
  };
}

const open = (source: string, { cli, ...options }: CliAgentOptions & { cli?: Partial<CliDefinition> } = {}) =>
  cliAgent(pretended(source, cli), { afterMs: 200, ...options });

keepsTheAgentContract("a command-line program", {
  says: (text) => open(`said(${JSON.stringify(text)}); over();`),
  sees: (prompt, folder) => {
    writeFileSync(join(folder, "prompt"), prompt);
    const source = `const file = /file (\\S+): read/.exec(prompt)?.[1];
      const all = file === undefined ? prompt : readFileSync(file, "utf8");
      said(all === readFileSync(${JSON.stringify(join(folder, "prompt"))}, "utf8") ? "seen" : "changed"); over();`;
    return open(source);
  },
  fallsSilent: (text) =>
    open(`${text === undefined ? "" : `said(${JSON.stringify(text)});`} setInterval(() => 0, 1e9);`),
  runs: (script) =>
    open(`spawnSync("bash", ["-c", ${JSON.stringify(script)}], { stdio: "ignore" }); said("ran"); over();`),
  fails: () => open("process.exit(3)"),
});

describe("a command-line program as an agent", () => {
  test("has not answered before its own events say so, whatever its exit code", async () => {
    const asked = open(`said("nearly"); console.error("out of sorts");`).answer(ask(), agentContext());
    await expect(asked).rejects.toMatchObject({
      fault: "crash",
      message: expect.stringContaining("exited with 0 before its turn was over: out of sorts"),
    });
  });

  test("one that says when stopped that its turn went well is not believed", async () => {
    const source = `process.on("SIGTERM", () => { over(); process.exit(0); });
tell({ hopeless: true }); setInterval(() => 0, 1e9);`;
    await expect(open(source).answer(ask(), agentContext())).rejects.toMatchObject({ fault: "auth" });
  });

  test("is ended at once when continuing cannot help", async () => {
    const asked = open("tell({ hopeless: true }); setInterval(() => 0, 1e9);").answer(ask(), agentContext());
    await expect(asked).rejects.toMatchObject({ fault: "auth" });
  });

  const lent = (url: string): Partial<CliDefinition> & { environment: Record<string, string> } => {
    const upstream = { variable: "MODEL_URL", usual: url };
    const loan = { wire: "anthropic", upstream, header: { name: "x-api-key" } } as const;
    return {
      keys: [{ variable: "ONE_KEY", lease: loan }],
      begin: (turn) => ({
        args: [turn.environment["PROGRAM"] ?? ""],
        env: { URL: turn.endpoint?.baseUrl, KEY: turn.endpoint?.key },
        ...reading(turn),
      }),
      environment: { PATH: process.env["PATH"] ?? "", ONE_KEY: "sk-real" },
    };
  };
  /** A program that asks its model again and again, or once, and says nothing. */
  const asking = (url: string, { often, tries }: { readonly often: boolean; readonly tries?: number }) => {
    const file = join(temporaryFolder(), "asking.mjs");
    const ask = `await fetch(process.env.URL + "/v1/messages", { method: "POST", headers: { "x-api-key": process.env.KEY } })
      .then((answer) => answer.text());`;
    writeFileSync(file, often ? `for (;;) ${ask}` : `${ask} setInterval(() => 0, 1e9);`);
    const { environment, ...cli } = lent(url);
    return open("", {
      cli: { ...cli, ...(tries && { tries }) },
      environment: { ...environment, PROGRAM: file },
    });
  };

  test("one that asks an overloaded model again and again, in silence, is ended after so many tries, with that class", async () => {
    const { url, asked } = await openEndpoint(
      saying({ error: { type: "overloaded_error" } }, { status: 529 }),
    );
    const answer = asking(url, { often: true, tries: 3 }).answer(ask({ idleMs: 60_000 }), agentContext());
    await expect(answer).rejects.toMatchObject({ fault: "overloaded" });
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(asked.length).toBeLessThan(10);
  });

  test("one that waits in silence to ask again has not fallen idle: the class and the wait are the endpoint's", async () => {
    const headers = { "retry-after": "7" };
    const { url } = await openEndpoint(saying({ error: "slow down" }, { status: 429, headers }));
    const answer = asking(url, { often: false }).answer(ask({ idleMs: 1_500 }), agentContext());
    await expect(answer).rejects.toMatchObject({ fault: "rate-limit", retryAfterMs: 7_000 });
  });

  test.each([
    ["before its answer", undefined],
    ["in its answer", "data: {}\n\n"],
  ])("one whose provider falls silent %s has not fallen idle: the network has failed", async (_, start) => {
    const { url } = await openEndpoint((_, response) => {
      if (start !== undefined) response.writeHead(200).write(start);
    });
    const answer = asking(url, { often: false }).answer(ask({ idleMs: 1_500 }), agentContext());
    await expect(answer).rejects.toMatchObject({
      fault: "network",
      message: expect.stringContaining(`${new URL(url).host} sent nothing for 1500 ms`),
    });
  });

  test("one that is to wait for more than a minute is ended at once: the run waits", async () => {
    const headers = { "retry-after": "3600" };
    const { url } = await openEndpoint(saying({ error: "slow down" }, { status: 429, headers }));
    const answer = asking(url, { often: false }).answer(ask({ idleMs: 60_000 }), agentContext());
    await expect(answer).rejects.toMatchObject({ fault: "rate-limit", retryAfterMs: 3_600_000 });
  });

  test("one that takes an answer with nothing in it for the end of its turn: the class is the endpoint's", async () => {
    const { url } = await openEndpoint((_, response) => void response.writeHead(200).end());
    const file = join(temporaryFolder(), "ending.mjs");
    const asks = `await fetch(process.env.URL + "/v1/messages", { method: "POST", headers: { "x-api-key": process.env.KEY } })
      .then((answer) => answer.text());`;
    writeFileSync(file, `${asks}\nconsole.log(JSON.stringify({ over: true }));`);
    const { environment, ...cli } = lent(url);
    const answer = open("", { cli, environment: { ...environment, PROGRAM: file } }).answer(
      ask(),
      agentContext(),
    );
    await expect(answer).rejects.toMatchObject({
      fault: "network",
      message: expect.stringMatching(/answered without a message$/),
    });
  });

  describe("that says what it took in money", () => {
    /** Asks its model once; what it says then is its last word, or nothing comes. */
    const open = (url: string, more: Partial<CliDefinition> = {}) => {
      const source = `await fetch(process.env.URL + "/v1/messages", { method: "POST", headers: { "x-api-key": process.env.KEY } })
        .then((answer) => answer.text());
      const prompt = readFileSync(0, "utf8");
      if (prompt.includes("silence")) setInterval(() => 0, 1e9);
      else console.log(prompt);`;
      const file = join(temporaryFolder(), "taking.mjs");
      writeFileSync(file, `import { readFileSync } from "node:fs";\n${source}`);
      const { environment, ...cli } = lent(url);
      return cliAgent(
        pretended("", {
          ...cli,
          begin(turn) {
            let last: JsonObject = {};
            return {
              args: [file],
              env: { URL: turn.endpoint?.baseUrl, KEY: turn.endpoint?.key },
              read: (event) => {
                last = event;
              },
              result: () => ({ text: "", ended: false, ...last }),
            };
          },
          ...more,
        }),
        { environment },
      );
    };
    const usage = (cost_usd: number) => ({ input_tokens: 0, output_tokens: 0, cost_usd });
    const says = (behavior: object) => ask({ prompt: JSON.stringify(behavior) });
    const counted = saying({ usage: { input_tokens: 900, output_tokens: 100 } });

    test("and is cut off before it does took as much for a token as the last time", async () => {
      const agent = open((await openEndpoint(counted)).url);
      await agent.answer(says({ text: "ok", ended: true, usage: usage(0.5) }), agentContext());
      const cutOff = agent.answer(ask({ prompt: "silence", timeoutMs: 6_000 }), agentContext());
      await expect(cutOff).rejects.toMatchObject({ fault: "timeout", usage: { cost_usd: 0.5 } });
    });

    test("and is cancelled reports its usage so far", async () => {
      const stop = new AbortController();
      const { url } = await openEndpoint((one, response) => {
        counted(one, response);
        setTimeout(() => stop.abort(new Error("no longer wanted")), 500);
      });
      const [spent, sofar] = [[] as Usage[], [] as Usage[]];
      const context = {
        ...agentContext({ signal: stop.signal }),
        onSpent: (usage: Usage) => void spent.push(usage),
        onUsage: (usage: Usage) => void sofar.push(usage),
      };
      const stopped = open(url).answer(ask({ prompt: "silence" }), context);
      await expect(stopped).rejects.toThrow("no longer wanted");
      expect(spent).toEqual([{ input_tokens: 900, output_tokens: 100, cost_usd: 0 }]);
      expect(sofar).toEqual(spent);
    });

    test("and whose turn a kill of ours cut off took that too: the next attempt reports it, once", async () => {
      const [killed, spent] = [agentContext(), [] as Usage[]];
      const { url } = await openEndpoint(counted);
      const first = open(url).answer(ask({ prompt: "silence", timeoutMs: 6_000 }), killed);
      const record = join(killed.artifacts, ".turns");
      await expect.poll(() => existsSync(record) && readdirSync(record), { timeout: 5_000 }).toHaveLength(1);
      const left = join(temporaryFolder(), "turns");
      cpSync(record, left, { recursive: true });
      await first.catch(() => undefined);
      cpSync(left, record, { recursive: true });
      const context = { ...killed, onSpent: (usage: Usage) => void spent.push(usage) };
      await expect(open(url).answer(ask({ prompt: "silence" }), context)).rejects.toThrow();
      expect(spent).toEqual([{ input_tokens: 900, output_tokens: 100, cost_usd: 0 }]);
    });

    test("and fails twice in a conversation took what its two parts did, and not all of the conversation", async () => {
      const agent = open((await openEndpoint(counted)).url, { totals: { tokens: false, cost: true } });
      const context = agentContext();
      const one = await agent.answer(says({ text: "ok", ended: true, usage: usage(2) }), context);
      const failing = { ...says({ usage: usage(2.5) }), session: one.session };
      // The second part does not say what it took: that is reckoned by the first.
      await expect(agent.answer(failing, context)).rejects.toMatchObject({ usage: { cost_usd: 1 } });
    });
  });

  test("what it left running in a session of its own is ended, and named", async () => {
    const context = agentContext();
    const pid = join(context.workspace, "pid");
    const source = `const child = spawn("sleep", ["3434"], { detached: true, stdio: "ignore" });
      writeFileSync(${JSON.stringify(pid)}, String(child.pid)); child.unref(); said("I wait."); over();`;
    const answer = await open(source).answer(ask(), context);
    expect(answer).toMatchObject({ text: "I wait.", left: ["sleep 3434"] });
    expect(existsSync(`/proc/${readFileSync(pid, "utf8")}/fd/0`)).toBe(false);
  });

  test("what ends in time by itself is not left running", async () => {
    const source = `spawn("sleep", ["0.2"], { detached: true, stdio: "ignore" }).unref(); said("ok"); over();`;
    const answer = await open(source, { afterMs: 20_000 }).answer(ask(), agentContext());
    expect(answer).not.toHaveProperty("left");
  });

  test("a conversation that it does not know starts again, with a digest", async () => {
    const context = agentContext();
    const first = await open(`said("I chose plum."); over();`).answer(ask({ prompt: "Choose." }), context);
    const forgets = `if (process.argv[2] === ${JSON.stringify(first.session)}) console.error("no such conversation");
      else { said(prompt); over(); }`;
    const second = await open(forgets).answer(ask({ prompt: "Which?", session: first.session }), context);
    expect(second.session).not.toBe(first.session);
    expect(second.text).toMatch(/> Choose\..*> I chose plum\..*Your task now:\n\nWhich\?$/s);
    expect(second.notices).toContainEqual({
      code: "SESSION_LOST",
      message: expect.stringContaining("digest"),
    });
  });

  test("a turn that fills the model's context starts again with what it had done", async () => {
    const context = agentContext();
    const first = await open(`said("I chose plum."); over();`).answer(ask({ prompt: "Choose." }), context);
    const source = `if (process.argv[2] === ${JSON.stringify(first.session)}) {
        tell({ tool: "bash", input: { command: "npm test" } });
        tell({ tool: "edit", input: { file_path: "src/a.ts" } });
        said("Half of it."); tell({ full: true });
      } else { said(prompt); over(); }`;
    const begin: CliDefinition["begin"] = (turn) => {
      const { read, result } = reading(turn);
      let isFull = false;
      return {
        args: [file, turn.session.id],
        env: {},
        read(event) {
          read(event);
          if (event["tool"] !== undefined) turn.tool(textIn(event, "tool") ?? "", event["input"]);
          if (event["full"] === true) isFull = true;
        },
        result: async (end) => ({
          ...(await result(end)),
          ...(isFull ? { trouble: { fault: "context", message: "413" } } : {}),
        }),
      };
    };
    const file = join(temporaryFolder(), "program.mjs");
    writeFileSync(file, `${prelude}\n${source}`);
    const again = ask({ prompt: "Go on.", session: first.session });
    const second = await open("", { cli: { begin } }).answer(again, context);
    expect(second.notices?.map(({ code }) => code)).toContain("CONTEXT_FULL");
    expect(second.text).toMatch(
      /> Choose\..*> Half of it\..*do not repeat them:\n> bash: npm test\n> edit: src\/a\.ts\n.*Your task now:\n\nGo on\.$/s,
    );
  });

  test("without a program of that name it says how to get it", async () => {
    const cli = { program: { name: "no-such-program", package: "@no/such", from: "1.0.0", below: "2.0.0" } };
    await expect(open("", { cli }).answer(ask(), agentContext())).rejects.toMatchObject({
      fault: "missing",
      message: expect.stringContaining("npm install --global @no/such"),
    });
  });

  test("without a key or a login it names the keys", async () => {
    const keys = [{ variable: "ONE_KEY" }, { variable: "OTHER_KEY" }];
    const agent = open("", { cli: { keys, hasLogin: () => false } });
    await expect(agent.answer(ask(), agentContext())).rejects.toMatchObject({
      fault: "auth",
      message: expect.stringContaining("set the variable ONE_KEY (or OTHER_KEY), in a job from a secret"),
    });
  });

  test("says once that it holds its key itself", async () => {
    const agent = open(`said("ok"); over();`);
    const codes = async () =>
      (await agent.answer(ask(), agentContext())).notices?.map(({ code }) => code) ?? [];
    expect(await codes()).toContain("AGENT_HOLDS_KEY");
    expect(await codes()).not.toContain("AGENT_HOLDS_KEY");
  });

  test("files quarantined during a call are reported once, and restored", async () => {
    const context = agentContext();
    mkdirSync(join(context.workspace, ".evil"));
    const agent = open(`said(existsSync(".evil") ? "seen" : "not there"); over();`, {
      cli: { configPaths: [".evil", "evil.json"] },
    });
    const answer = await agent.answer(ask(), context);
    expect(answer.text).toBe("not there");
    expect(answer.notices).toContainEqual({
      code: "MOVED_ASIDE",
      message: expect.stringMatching(/^\.evil was moved aside.*UNTIL_GREEN_TRUST_CHECKOUT=1/),
    });
    expect(existsSync(join(context.workspace, ".evil"))).toBe(true);
    const again = await agent.answer(ask(), context);
    expect(again.notices?.map(({ code }) => code) ?? []).not.toContain("MOVED_ASIDE");
  });

  test("continues without the record of a conversation if the record is damaged", async () => {
    const context = agentContext();
    const agent = open(`said("ok"); over();`);
    const { session = "" } = await agent.answer(ask(), context);
    const record = join(context.artifacts, ".sessions", "pretended", session, "turns.json");
    rmSync(record);
    writeFileSync(record, '{"turns": [');
    expect(await agent.answer(ask({ session }), context)).toMatchObject({ text: "ok", session });
  });
});
