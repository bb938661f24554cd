import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { openModelServer, scripted } from "../parts/model-server.ts";
import { openNpmRegistry } from "../parts/npm-registry.ts";
import { useOnHost } from "./source.ts";

/** In place of Claude Code: asks the model it is pointed to, does as it says, and takes along all it can see. */
const program = `#!/usr/bin/env node
const { appendFileSync, readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url, HOME, RUNNER_TEMP } = process.env;
const take = (text) => appendFileSync(join(HOME, "loot"), text + "\\n");
const read = (file) => { try { take(file + "\\n" + readFileSync(file, "latin1")); } catch {} };
take(JSON.stringify(process.env));
take("key " + key);
for (let pid = process.pid; pid > 1; pid = Number(readFileSync("/proc/" + pid + "/stat", "latin1").replace(/^.*\\) . /s, "").split(" ")[0]))
  for (const file of ["environ", "cmdline"]) read("/proc/" + pid + "/" + file);
for (const folder of [RUNNER_TEMP, ".git"])
  for (const name of readdirSync(folder, { recursive: true })) read(join(folder, name));
const prompt = readFileSync(0, "utf8");
fetch(url + "/v1/messages", {
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" },
  body: JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content: prompt }] }),
}).then((answer) => answer.json()).then(({ content }) => {
  const result = content.map(({ text = "" }) => text).join("");
  writeFileSync("state.txt", "green\\n");
  const say = (event) => console.log(JSON.stringify(event));
  say({ type: "system", subtype: "init", session_id: "s1", claude_code_version: "2.1.329" });
  say({ type: "result", subtype: "success", result, session_id: "s1", total_cost_usd: 0.01, usage: { input_tokens: 1, output_tokens: 1 } });
});
`;

test("an agent that the action installs reaches its model by the relay, and finds neither its key nor a token", async () => {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  const model = await openModelServer();
  onTestFinished(() => model.close());
  const registry = await openNpmRegistry([
    {
      name: "@anthropic-ai/claude-code",
      version: "2.1.329",
      bin: { claude: "cli.js" },
      files: { "cli.js": program },
      scripts: { postinstall: "touch ran-a-script" },
    },
  ]);
  const home = await mkdtemp(join(tmpdir(), "home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const key = "sk-ant-the-real-key-0123456789";
  await writeFile(join(home, "loot"), "");
  const result = await useOnHost({
    host,
    env: {
      ...registry.env,
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      NPM_TOKEN: "npm-token-of-the-step",
    },
    inputs: {
      prompt: scripted("Make it green", [{ text: "It is green." }]),
      "until-bash": "grep -qx green state.txt",
      "max-iterations": "1",
      "check-run": "false",
      agent: "claude",
      "agent-version": "2.1.329",
      write: join(home, "loot"),
      "anthropic-api-key": key,
      publish: "branch",
      branch: "mended",
    },
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "success",
    "final-message": "It is green.",
    branch: "mended",
  });
  expect(result.log.join("\n")).toContain("Installing claude 2.1.329 (@anthropic-ai/claude-code)");
  expect(registry.asked.join()).toContain("claude-code-2.1.329.tgz");
  expect(
    model
      .seen()
      .map(({ text }) => text)
      .join(),
  ).toContain("Make it green");
  const loot = await readFile(join(home, "loot"), "utf8");
  expect(loot).toMatch(/^key until-green-[0-9a-f]{48}$/m);
  expect(loot).toContain("/environ");
  for (const secret of [key, host.token, "npm-token-of-the-step"]) expect(loot).not.toContain(secret);
  expect(JSON.stringify(result)).not.toContain(key);
});

/** In place of Claude Code: makes the check pass, and reports the prompt and its token. */
const fixer = `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require("node:fs");
writeFileSync("state.txt", "green\\n");
const result = readFileSync(0, "utf8") + " token " + process.env.CLAUDE_CODE_OAUTH_TOKEN?.length;
const say = (event) => console.log(JSON.stringify(event));
say({ type: "system", subtype: "init", session_id: "s1", claude_code_version: "2.1.329" });
say({ type: "result", subtype: "success", result, session_id: "s1", total_cost_usd: 0.01, usage: { input_tokens: 1, output_tokens: 1 } });
`;

test("a check and the token of Claude Code are enough: the token chooses the agent, the check is the task", async () => {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  const registry = await openNpmRegistry([
    {
      name: "@anthropic-ai/claude-code",
      version: "2.1.329",
      bin: { claude: "cli.js" },
      files: { "cli.js": fixer },
    },
  ]);
  const home = await mkdtemp(join(tmpdir(), "home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const env = { ...registry.env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const inputs = {
    "until-bash": "cat state.txt; grep -qx green state.txt",
    "agent-version": "2.1.329",
    "claude-code-oauth-token": "sk-ant-oat01-0123456789",
    "check-run": "false",
    publish: "none",
  };
  const result = await useOnHost({ host, env, inputs });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success", iterations: "1" });
  const message = result.outputs["final-message"] ?? "";
  expect(message).toContain("`cat state.txt; grep -qx green state.txt` fails. Pick one failure");
  expect(message).toMatch(/\nexit 1\nred\s+token 23$/);
});
