import { afterAll, beforeAll, describe } from "vitest";
import { openAgent } from "../../src/agents/index.ts";
import { type ModelServer, openModelServer } from "../parts/model-server.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentClis, isInstalled } from "./agent-clis.ts";
import { type CliStage, givenFor, settingsFor } from "./cli-stage.ts";
import { keepsItsTurn } from "./cut-turn.contract.ts";

/** What every command-line agent must do with a turn that is interrupted; a file of its own, beside the other cases. */
export function keepsInterruptedTurns(stage: CliStage): void {
  const { name } = stage;
  describe.skipIf(!isInstalled())(`${name}, interrupted (npm run test:agents installs it)`, () => {
    let server: ModelServer;
    beforeAll(async () => {
      server = await openModelServer();
    });
    afterAll(() => server?.close());

    keepsItsTurn({
      stage,
      given: givenFor(stage),
      server: () => server,
      open: ({ silence } = {}) =>
        openAgent(name, {
          cwd: "/",
          installed: agentClis,
          afterMs: 300,
          environment: {
            ...settingsFor(stage, server.url, temporaryFolder()),
            ...(silence && { UNTIL_GREEN_MODEL_SILENCE_SECONDS: String(silence) }),
          },
        }),
    });
  });
}
