import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { type ModelServer, openModelServer } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { expectStrange, finalAnswers, playStrange, strangeAnswers } from "./strange-answers.ts";

const key = "the-real-key-of-the-test";

describe.each([
  {
    agent: "api:anthropic",
    by: "Messages",
    env: (url: string) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
  },
  {
    agent: "api:openai",
    by: "Responses",
    env: (url: string) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      UNTIL_GREEN_OPENAI_API: "responses",
    }),
  },
  {
    agent: "api:openai",
    by: "chat completions",
    env: (url: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    agent: "api:gemini",
    by: "Gemini's own API",
    env: (url: string) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  },
])("$agent, by $by, in the middle of a turn", ({ agent, env }) => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await openModelServer();
  });
  afterAll(() => server?.close());

  test.each([...strangeAnswers, ...finalAnswers])(
    "$title: nothing is lost, and no step is done twice",
    async (strange) => {
      const played = await playStrange({
        strange,
        runs: (command) => ({ name: "bash", args: { command } }),
        model: "a-model",
        upstream: server.url,
        open: (url) =>
          openAgent(agent, {
            cwd: "/",
            environment: { PATH: process.env["PATH"], HOME: temporaryFolder(), ...env(url) },
          }),
      });
      expectStrange(strange, played);
      const faults = played.failures.map(({ fault }) => fault);
      expect(faults).toEqual([strange.passes ?? strange.fails?.[0]].filter((fault) => fault !== undefined));
    },
  );
});
