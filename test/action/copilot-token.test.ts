import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { listen } from "../parts/listen.ts";
import { openNpmRegistry } from "../parts/npm-registry.ts";
import { annotationsOf } from "./checkout.ts";
import { useOnHost } from "./source.ts";

/** In place of Copilot CLI: asks the endpoint it is pointed to, and takes along all it can see. */
const program = `#!/usr/bin/env node
const { appendFileSync, readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: key, COPILOT_MODEL: model, HOME, RUNNER_TEMP } = process.env;
const take = (text) => appendFileSync(join(HOME, "loot"), text + "\\n");
const read = (file) => { try { take(readFileSync(file, "latin1")); } catch {} };
take(JSON.stringify(process.env) + process.argv.join(" "));
for (let pid = process.pid; pid > 1; pid = Number(readFileSync("/proc/" + pid + "/stat", "latin1").replace(/^.*\\) . /s, "").split(" ")[0]))
  for (const file of ["environ", "cmdline"]) read("/proc/" + pid + "/" + file);
for (const folder of [RUNNER_TEMP, ".git"])
  for (const name of readdirSync(folder, { recursive: true })) read(join(folder, name));
fetch(url + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + key },
  body: JSON.stringify({ model, messages: [{ role: "user", content: readFileSync(0, "utf8") }] }),
}).then(async (answer) => {
  const say = (event) => console.log(JSON.stringify(event));
  if (!answer.ok) return say({ type: "session.error", data: { message: await answer.text(), statusCode: answer.status } });
  writeFileSync("state.txt", "green\\n");
  say({ type: "assistant.message", data: { content: (await answer.json()).choices[0].message.content } });
  say({ type: "result", sessionId: "s1", exitCode: 0 });
});
`;

/** In place of Copilot's API: it demands the token of the job, and the name of a program. */
async function openApi(token: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { authorization, "copilot-integration-id": id } = request.headers;
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      asked.push(
        `${request.url} ${authorization === `Bearer ${token}` ? "the token" : authorization} ${id} ${JSON.parse(body).model}`,
      );
      response.writeHead(authorization === `Bearer ${token}` && id ? 200 : 401, {
        "content-type": "application/json",
      });
      const message = { role: "assistant", content: "It is green." };
      response.end(JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, asked };
}

async function play(permissions: string) {
  const workflow = `on: schedule\njobs:\n  test:\n    permissions: ${permissions}\n    runs-on: ubuntu-latest\n`;
  const host = await openGitHubHost({
    files: { "state.txt": "red\n", ".github/workflows/loop.yml": workflow },
  });
  onTestFinished(() => host.close());
  const api = await openApi(host.token);
  const files = { "cli.js": program };
  const registry = await openNpmRegistry([
    { name: "@github/copilot", version: "1.0.101", bin: { copilot: "cli.js" }, files },
  ]);
  const home = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const result = await useOnHost({
    host,
    env: {
      ...registry.env,
      PATH: `${dirname(execPath)}:/usr/bin:/bin`,
      HOME: home,
      COPILOT_API_URL: api.url,
      GITHUB_WORKFLOW_REF: `${host.repository}/.github/workflows/loop.yml@refs/heads/main`,
    },
    inputs: {
      "until-bash": "grep -qx green state.txt",
      "max-iterations": "1",
      "check-run": "false",
      agent: "copilot",
      "agent-version": "1.0.101",
      isolation: "off",
    },
  });
  const errors = annotationsOf(result, "error").map(({ message }) => message);
  return { ...result, host, api, home, registry, errors: errors.join("\n") };
}

test("Copilot works with the job's own token, which stays in the key proxy", async () => {
  const { outputs, log, api, home, host } = await play("{ contents: write, copilot-requests: write }");
  expect(outputs, log.join("\n")).toMatchObject({ conclusion: "success", "final-message": "It is green." });
  expect(api.asked).toEqual(["/chat/completions the token copilot-developer-cli gpt-5-mini"]);
  const loot = readFileSync(join(home, "loot"), "utf8");
  expect(loot).toContain('"COPILOT_PROVIDER_API_KEY":"until-green-');
  for (const text of [loot, log.join("\n"), JSON.stringify(outputs)]) expect(text).not.toContain(host.token);
});

test("without that permission nothing is installed, and the job says which line is missing", async () => {
  const { errors, api, registry } = await play("{ contents: write }");
  expect(errors).toContain("Copilot needs no key if the job has `permissions: copilot-requests: write`");
  expect({ asked: api.asked, installed: registry.asked }).toEqual({ asked: [], installed: [] });
});
