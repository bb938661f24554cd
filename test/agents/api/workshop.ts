import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openBackground } from "../../../src/agents/api/background.ts";
import { argumentsFor } from "../../../src/agents/api/tool-set.ts";
import { workTools } from "../../../src/agents/api/tools.ts";
import { agentContext } from "../agent.contract.ts";

/** The tools of `api` in a workspace of their own, called as a model calls them. */
export function workshop() {
  const context = agentContext();
  const background = openBackground();
  onTestFinished(async () => void (await background.end()));
  const use = async (name: string, given: unknown) => {
    const tool = workTools[name];
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    const { signal } = new AbortController();
    const place = { context, environment, background, signal, onSound: () => undefined };
    return tool.use(argumentsFor(tool, given), place);
  };
  const at = (path: string) => join(context.workspace, path);
  return { use, at, background };
}

const environment = { PATH: process.env["PATH"] };

/** A whole image. */
export const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
