import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandAgent } from "../../src/agents/command.ts";
import { agentContext, ask, keepsTheAgentContract } from "./agent.contract.ts";

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

keepsTheAgentContract("command", {
  says: (text) =>
    text.length > 100_000
      ? commandAgent(`printf head; head -c ${text.length - 8} /dev/zero | tr '\\0' x; echo tail`)
      : commandAgent(`printf '%s\\n' ${quoted(text)}`),
  sees(prompt, folder) {
    const file = join(folder, "prompt.txt");
    writeFileSync(file, prompt);
    return commandAgent(`cmp -s - ${quoted(file)} && echo seen || echo changed`);
  },
  fallsSilent: (text) => commandAgent(`${text === undefined ? "" : `echo ${quoted(text)};`} sleep 300`),
  runs: (script) => commandAgent(script),
  fails: () => commandAgent("exit 1"),
});

describe("a command", () => {
  test("gets its task in variables", async () => {
    const names = ["SESSION", "RESUME", "ROLE", "NODE", "ITERATION", "MODEL", "SCHEMA_FILE", "RUN"];
    const agent = commandAgent(names.map((name) => `echo ${name}=$UNTIL_GREEN_${name}`).join("; "));
    const request = ask({ session: "s-1", role: "judge", iteration: 3, model: "big" });
    expect((await agent.answer(request, agentContext())).text.split("\n")).toEqual([
      "SESSION=s-1",
      "RESUME=1",
      "ROLE=judge",
      "NODE=fix",
      "ITERATION=3",
      "MODEL=big",
      "SCHEMA_FILE=",
      "RUN=run-0001",
    ]);
  });

  test("gets the id of a new session, and that it is new", async () => {
    const { text, session } = await commandAgent('echo "$UNTIL_GREEN_SESSION $UNTIL_GREEN_RESUME"').answer(
      ask(),
      agentContext(),
    );
    expect(text).toBe(`${session} 0`);
  });

  test("sees the keys of models and none of the job's", async () => {
    const environment = {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "key",
      GITHUB_TOKEN: "token",
      INPUT_X: "x",
    };
    const agent = commandAgent('echo "$ANTHROPIC_API_KEY,$GITHUB_TOKEN,$INPUT_X"', { environment });
    expect((await agent.answer(ask(), agentContext())).text).toBe("key,,");
  });

  test("reads its instructions before the prompt", async () => {
    const { text } = await commandAgent("cat").answer(
      ask({ instructions: "Be brief.", prompt: "Go." }),
      agentContext(),
    );
    expect(text).toBe("Be brief.\n\nGo.");
  });

  test("finds the schema in a file that is removed afterwards", async () => {
    const context = agentContext();
    const schema = { type: "object", required: ["done"] };
    const agent = commandAgent('cat "$UNTIL_GREEN_SCHEMA_FILE" > schema.txt; echo "{}"');
    await agent.answer(ask({ schema }), context);
    expect(JSON.parse(readFileSync(join(context.workspace, "schema.txt"), "utf8"))).toEqual(schema);
    expect(readdirSync(context.artifacts)).toEqual([]);
  });

  test.each([
    ['{"done": true}', { done: true }],
    ["[1,\n 2]\n", [1, 2]],
    ['Here it is:\n```json\n{"done": false}\n```\nNo:\n```\n{"done": true}\n```\nBye.', { done: true }],
    ['Thinking …\n{"done": true}', { done: true }],
    ["no structure at all", undefined],
  ])("printing %j gives a structured answer where one was asked for", async (expected, result) => {
    const agent = commandAgent(`printf '%s' ${quoted(expected)}`);
    expect((await agent.answer(ask({ schema: {} }), agentContext())).result).toEqual(result);
    expect(await agent.answer(ask(), agentContext())).not.toHaveProperty("result");
  });

  test.each([
    ["echo some text; echo why >&2; exit 3", "crash", "the agent's command ended with exit code 3: why"],
    ["echo only this; exit 1", "crash", "the agent's command ended with exit code 1: only this"],
    ["kill -SEGV $$", "crash", "the agent's command was ended by SIGSEGV"],
    ["bash -c 'kill -SEGV $$'; exit $?", "crash", /ended with exit code 139 \(SIGSEGV\)/],
    ["echo busy >&2; exit 126", "crash", "the agent's command ended with exit code 126: busy"],
    ["touch agent.sh; ./agent.sh", "missing", /cannot be run: .*agent\.sh: .*\(make it executable\)$/],
    [
      "kill -9 $$",
      "crash",
      /was killed twice \(SIGKILL\)\. Somebody killed it, or the system did because memory ran out: see/,
    ],
    [
      "no-such-agent --go",
      "missing",
      /was not found: .*no-such-agent.* \(install it, or correct `command:…`\)/,
    ],
  ])("%j fails as %s", async (command, fault, message) => {
    await expect(commandAgent(command).answer(ask(), agentContext())).rejects.toMatchObject({
      fault,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ["SIGKILL", "kill -9 $$"],
    ["SIGKILL", "bash -c 'kill -9 $$'; exit $?"],
    ["SIGTERM", "kill $$"],
  ])("killed by %s from outside, it is called again once, with a notice: %s", async (signal, kill) => {
    const context = agentContext();
    const agent = commandAgent(`test -e again && { cat; exit; }; touch again; ${kill}`);
    const answer = await agent.answer(ask({ prompt: "Go." }), context);
    expect(answer).toMatchObject({ text: "Go.", notices: [{ code: "TURN_REPEATED" }] });
    expect(answer.notices?.[0]?.message).toContain(`was killed (${signal})`);
  });

  test("killed each time, it stops the run, as it may be resumed where there is more memory", async () => {
    const context = agentContext();
    const asked = commandAgent("echo . >> calls; kill -9 $$").answer(ask(), context);
    await expect(asked).rejects.toMatchObject({ fault: "crash", isFixable: true });
    expect(readFileSync(join(context.workspace, "calls"), "utf8")).toBe(".\n.\n");
  });

  test("a worker that prints nothing is done, as programs that change files are", async () => {
    expect(await commandAgent("true").answer(ask(), agentContext())).toMatchObject({ text: "" });
  });

  test.each([{ role: "judge" as const }, { schema: {} }])(
    "who is to answer with %j and prints nothing has not answered",
    async (more) => {
      const asked = commandAgent("echo; echo note >&2").answer(ask(more), agentContext());
      await expect(asked).rejects.toMatchObject({
        fault: "empty",
        message: "the agent exited with 0 but printed no answer; it had said: note",
      });
    },
  );

  test("out of time reports its output so far", async () => {
    const asked = commandAgent("echo started; sleep 60").answer(ask({ timeoutMs: 300 }), agentContext());
    await expect(asked).rejects.toThrow("the agent gave no answer within 300 ms; it had said: started");
  });

  test("is not silent as long as it prints errors", async () => {
    const agent = commandAgent("for n in 1 2 3 4 5 6; do echo on >&2; sleep 0.1; done; echo done");
    expect(await agent.answer(ask({ idleMs: 400 }), agentContext())).not.toHaveProperty("idle");
  });

  test("works where the workspace is, and says so where that is gone", async () => {
    const context = agentContext();
    expect((await commandAgent("pwd -P").answer(ask(), context)).text).toBe(context.workspace);
    const gone = agentContext({ workspace: join(context.workspace, "gone") });
    await expect(commandAgent("pwd").answer(ask(), gone)).rejects.toThrow(/the folder .*gone does not exist/);
    expect(existsSync(gone.workspace)).toBe(false);
  });

  test("without bash is missing, with what is", async () => {
    const agent = commandAgent("true", { environment: { PATH: "/nowhere" } });
    await expect(agent.answer(ask(), agentContext())).rejects.toMatchObject({
      fault: "missing",
      message: "bash is not installed, or not on PATH: the agent needs it",
    });
  });
});
