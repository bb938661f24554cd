import { afterAll, beforeAll, describe, test } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { type ModelServer, openModelServer } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { keepsItsTurn } from "./cut-turn.contract.ts";

describe.each([
  { wire: "anthropic", model: "a-model", base: "ANTHROPIC_BASE_URL", path: "" },
  { wire: "openai", model: "a-model", base: "OPENAI_BASE_URL", path: "/v1" },
])("api over $wire", ({ wire, model, base, path }) => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await openModelServer();
  });
  afterAll(() => server?.close());

  keepsItsTurn({
    stage: {
      model,
      runs: (command) => ({ name: "bash", args: { command } }),
      writes: (path, content) => ({ name: "write", args: { path, content } }),
    },
    // It has no process of its own that could be killed without until-green.
    given: (one, title, body) => (one === "killed" ? undefined : test(title, { timeout: 120_000 }, body)),
    server: () => server,
    open: ({ silence } = {}) =>
      openAgent(`api:${wire}`, {
        cwd: "/",
        environment: {
          PATH: process.env["PATH"],
          HOME: temporaryFolder(),
          [`${wire.toUpperCase()}_API_KEY`]: "the-real-key-of-the-test",
          [base]: `${server.url}${path}`,
          ...(silence && { UNTIL_GREEN_MODEL_SILENCE_SECONDS: String(silence) }),
        },
      }),
  });
});
