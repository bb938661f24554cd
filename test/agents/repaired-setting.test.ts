import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiAgent } from "../../src/agents/api.ts";
import { EnvironmentError } from "../../src/runner/perform-effect.ts";
import { resume, start } from "../../src/runner/run.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";
import { openEndpoint } from "../key-proxy/endpoint.ts";
import "../parts/loaded.ts";
import { planOf, runId, stage } from "../parts/stage.ts";
import { agentContext } from "./agent.contract.ts";
import { streamMessage } from "./api/message-stream.ts";

const usage = { input_tokens: 100, output_tokens: 20 };

/** The number of steps that a request's turn has taken. */
const stepsIn = (body: string) => body.match(/"type":"tool_use"/g)?.length ?? 0;

interface Case {
  readonly why: string;
  readonly refuse: (response: ServerResponse) => void;
  /** What people read about it. */
  readonly notice: RegExp;
  readonly old: string;
  readonly repaired: string;
}

const refused =
  (status: number, error: object) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error }));
  };

test.each<Case>([
  {
    why: "a key that is revoked",
    refuse: refused(401, { type: "authentication_error", message: "API key has been revoked" }),
    notice:
      /refused the secret ANTHROPIC_API_KEY \(401\): API key has been revoked; set a key that is valid there$/,
    old: "sk-ant-old",
    repaired: "sk-ant-new",
  },
  {
    why: "credit that is used up",
    refuse: refused(400, { type: "invalid_request_error", message: "Your credit balance is too low" }),
    notice:
      /answered 400: Your credit balance is too low; add credit or raise the limit there, or set another key$/,
    old: "sk-ant-old",
    repaired: "sk-ant-new",
  },
])(
  "$why in the middle of a turn stops the run, which continues there once that is repaired",
  async ({ refuse, notice, old, repaired }) => {
    let answered = 0;
    const { url } = await openEndpoint(({ body, headers }, response) => {
      const steps = stepsIn(body);
      if (headers["x-api-key"] === old && steps === 3) return refuse(response);
      answered += 1;
      const call = { id: `t-${steps}`, name: "bash", input: { command: `echo s${steps + 1} >> steps.txt` } };
      streamMessage(response, { text: "Done.", call: steps < 5 ? call : undefined, usage });
    });
    const { workspace, artifacts } = agentContext();
    const nodes = [{ id: "fix", loop: { prompt: "Go.", until_bash: "true", max_iterations: 3 } }];
    const plan = planOf(JSON.stringify({ name: "t", nodes }));
    const it = stage(plan);
    const environmentWith = (key: string): RunEnvironment => {
      const environment = { ...process.env, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url };
      const agent = apiAgent({ named: "anthropic/claude-sonnet-5-5", environment });
      return { ...it.world, workspace, agent: () => agent };
    };
    const stopped = start({ plan, facts: { ...it.facts, artifacts } }, environmentWith(old));
    await expect(stopped).rejects.toThrow(EnvironmentError);
    await expect(stopped).rejects.toThrow(notice);
    expect(it.end()).toBeUndefined();
    await resume(runId, environmentWith(repaired));
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
    expect(readFileSync(join(workspace, "steps.txt"), "utf8")).toBe("s1\ns2\ns3\ns4\ns5\n");
    expect(answered).toBe(6);
    expect(it.end()?.usage).toMatchObject({ input_tokens: 600, output_tokens: 120 });
  },
);
