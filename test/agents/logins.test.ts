import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { candidates, openAgent } from "../../src/agents/index.ts";
import { probeAgents, selectAgent } from "../../src/agents/select-agent.ts";
import { temporaryFolder } from "../workspace/playground.ts";
import { agentContext, ask } from "./agent.contract.ts";
import { fakes, layProgram } from "./fake-programs.ts";

/** A way to be logged in without a key that we lend: what a person has, and what of it the program is to get. */
interface Login {
  readonly agent: string;
  readonly by: string;
  /** Files of the home, as the program lays them when a person logs in. */
  readonly files?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** As `doctor` names it. */
  readonly key: string;
  /** The variables that it gets of all that look like logins or its settings. */
  readonly gets?: readonly string[];
}

const token = JSON.stringify({ access_token: "a", refresh_token: "r" });

const logins: readonly Login[] = [
  {
    agent: "claude",
    by: "`claude setup-token`",
    variables: { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01" },
    key: "CLAUDE_CODE_OAUTH_TOKEN",
    gets: ["CLAUDE_CODE_OAUTH_TOKEN"],
  },
  {
    agent: "claude",
    by: "`/login`",
    files: { ".claude/.credentials.json": JSON.stringify({ claudeAiOauth: { accessToken: "a" } }) },
    key: "login",
  },
  {
    agent: "claude",
    by: "`/login`, in a folder of its own",
    files: { "mine/.credentials.json": JSON.stringify({ claudeAiOauth: { accessToken: "a" } }) },
    variables: { CLAUDE_CONFIG_DIR: "HOME/mine" },
    key: "login",
  },
  {
    agent: "claude",
    by: "Amazon Bedrock",
    variables: { CLAUDE_CODE_USE_BEDROCK: "1", AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "eu-west-1" },
    key: "AWS_BEARER_TOKEN_BEDROCK",
    gets: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "CLAUDE_CODE_USE_BEDROCK"],
  },
  {
    agent: "codex",
    by: "`codex login`",
    files: { ".codex/auth.json": JSON.stringify({ tokens: { access_token: "a" } }) },
    key: "login",
  },
  {
    agent: "codex",
    by: "`codex login`, in a folder of its own",
    files: { "mine/auth.json": JSON.stringify({ tokens: { access_token: "a" } }) },
    variables: { CODEX_HOME: "HOME/mine" },
    key: "login",
  },
  { agent: "gemini", by: "a Google login", files: { ".gemini/oauth_creds.json": token }, key: "login" },
  {
    agent: "gemini",
    by: "Vertex AI",
    variables: { GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_PROJECT: "p" },
    key: "login",
    gets: ["GOOGLE_CLOUD_PROJECT", "GOOGLE_GENAI_USE_VERTEXAI"],
  },
  {
    agent: "copilot",
    by: "a token",
    variables: { COPILOT_GITHUB_TOKEN: "github_pat_1" },
    key: "COPILOT_GITHUB_TOKEN",
    gets: ["COPILOT_GITHUB_TOKEN"],
  },
  {
    agent: "copilot",
    by: "`/login`",
    files: { ".copilot/config.json": JSON.stringify({ logged_in_users: [{ login: "me" }] }) },
    key: "login",
  },
  {
    agent: "opencode",
    by: "`opencode auth login`",
    files: { ".local/share/opencode/auth.json": JSON.stringify({ anthropic: { type: "oauth" } }) },
    key: "login",
  },
  {
    agent: "opencode",
    by: "a key of OpenRouter",
    variables: { OPENROUTER_API_KEY: "sk-or" },
    key: "OPENROUTER_API_KEY",
    gets: ["OPENROUTER_API_KEY"],
  },
];

/** Of others, or of the job: no agent is to see them, but for what a login at the same cloud needs. */
const strange = {
  GITHUB_TOKEN: "ghs_never",
  GH_TOKEN: "ghs_never",
  NPM_TOKEN: "npm_never",
  ACTIONS_RUNTIME_TOKEN: "never",
  AWS_SECRET_ACCESS_KEY: "never",
  MISTRAL_API_KEY: "never",
};
const sensitive = /TOKEN|KEY|SECRET|^(AWS|GOOGLE|CLAUDE|CODEX|COPILOT|GEMINI|OPENROUTER|ANTHROPIC|OPENAI)_/;

function settle({ agent, files = {}, variables = {} }: Login) {
  const home = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const fake = fakes.find((one) => one.agent === agent) ?? expect.fail(agent);
  const seen = join(home, "seen");
  const folder = layProgram(fake, { script: `env -0 > ${seen}; answer` });
  const given = Object.entries(variables).map(([name, value]) => [name, value.replace("HOME", home)]);
  const environment = { PATH: `${folder}:${process.env["PATH"]}`, HOME: home, ...Object.fromEntries(given) };
  const names = () =>
    readFileSync(seen, "utf8")
      .split("\0")
      .map((line) => line.slice(0, Math.max(0, line.indexOf("="))));
  return { environment, names };
}

describe.each(logins)("$agent, logged in by $by", (login) => {
  test("is seen to be, by `doctor` and where an agent is chosen", () => {
    const { environment } = settle(login);
    const only = candidates.filter(({ name }) => name === login.agent);
    expect(probeAgents(only, environment)[0]).toMatchObject({ key: login.key, usable: true });
    expect(selectAgent(candidates, { environment, noAgent: "none" }).name).toBe(login.agent);
  });

  test("starts with that login, and with no other and no key of the job", async () => {
    const { environment, names } = settle(login);
    const agent = openAgent(login.agent, { cwd: "/", environment: { ...environment, ...strange } });
    expect((await agent.answer(ask(), agentContext())).text).toBe("Done.");
    const ours =
      /^(UNTIL_GREEN_|CLAUDE_CODE_(DISABLE|ADDITIONAL|MAX)_|COPILOT_(AUTO_UPDATE|OFFLINE)$|GEMINI_(CLI|TELEMETRY)_|(CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME)$)/;
    const given = names().filter((name) => sensitive.test(name) && !ours.test(name));
    expect(given.sort()).toEqual(login.gets ?? []);
  });
});

test("without any login each agent says which key to set, or to log in", async () => {
  for (const fake of fakes) {
    const environment = {
      PATH: `${layProgram(fake, { script: "answer" })}:${process.env["PATH"]}`,
      HOME: temporaryFolder(),
    };
    const answer = openAgent(fake.agent, { cwd: "/", environment }).answer(ask(), agentContext());
    await expect(answer).rejects.toMatchObject({
      fault: "auth",
      message: expect.stringMatching(/set the variable [A-Z_]+.*, in a job from a secret, or log in with/),
    });
  }
});
