import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { checkoutFrom, useOnHost } from "./source.ts";

vi.setConfig({ testTimeout: 120_000 });

async function hostOf() {
  const host = await openGitHubHost({ files: { "state.txt": "red\n" } });
  onTestFinished(() => host.close());
  return host;
}

const loop = {
  prompt: "Go",
  "until-bash": "cat *.dump || true; grep -qx green state.txt",
  "max-iterations": "1",
  "check-run": "false",
  publish: "branch",
  branch: "mended",
};

test("a secret that an agent encodes, turns round or breaks up is nowhere, nor is one of the user's own", async () => {
  const host = await hostOf();
  const key = 'sk_"0123456789/abcdefgh+ijklmnop=';
  const own = "npm_0123456789abcdefghij";
  const forms = {
    base64: "base64",
    whole: "base64 -w0",
    hex: "od -An -v -tx1 | tr -d ' '",
    rev: "rev",
    fold: "fold -w 7",
    json: "sed 's/\"/\\\\\\\\\"/g'",
    url: "sed 's/\"/%22/g; s#/#%2F#g; s/+/%2B/g; s/=/%3D/g'",
  };
  const dumps = Object.entries(forms).map(
    ([name, by]) => `env | grep -E 'OPENAI|NPM' | ${by} > ${name}.dump`,
  );
  const result = await useOnHost({
    host,
    env: { NPM_TOKEN: own },
    inputs: {
      ...loop,
      "openai-api-key": key,
      "agent-command": `${dumps.join("; ")}; cat *.dump; echo red > state.txt`,
    },
  });
  expect(result.outputs["conclusion"]).toBe("failure");
  expect(result.outputs["final-message"]).toContain("***");
  const all = [JSON.stringify(result), host.git.git("cat-file", "--batch-all-objects", "--batch")].join("\n");
  const middle = (text: string) => Buffer.from(text).toString("base64").slice(2, -4);
  for (const secret of [key, own]) {
    const reversed = Array.from(secret).toReversed().join("");
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), reversed])
      expect(all).not.toContain(form);
    expect(all).not.toContain(Buffer.from(secret).toString("hex"));
    for (const before of ["", "=", "Y="]) expect(all).not.toContain(middle(before + secret));
    expect(all.replaceAll("\\n", "")).not.toContain(secret);
  }
  expect(host.git.git("for-each-ref", "refs/heads/mended")).toBe("");
  expect(result.annotations.map(({ message }) => message).join("\n")).toMatch(
    /contains a key or a token of this job/,
  );
});

test("credentials of earlier steps and decrypted files are nowhere at the host, in a run that publishes or not", async () => {
  const host = await openGitHubHost({
    files: {
      "state.txt": "red\n",
      ".gitattributes": "secret/** filter=crypt\n",
      "secret/key.txt": "password\n",
    },
  });
  onTestFinished(() => host.close());
  const value = "w8Zk31Qpp0aXs72LmNvB";
  for (const publish of ["branch", "none"]) {
    const workspace = await checkoutFrom(host, "main");
    const git = (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: workspace, encoding: "utf8" });
    git("config", "filter.crypt.clean", "rev");
    git("config", "filter.crypt.smudge", "rev");
    rmSync(join(workspace, "secret/key.txt"));
    git("checkout", "--", "secret");
    expect(git("status", "--porcelain")).toBe("");
    const left = {
      "gha-creds-01.json": `{"token":"${value}"}`,
      ".npmrc": `//r.example.com/:_authToken=${value}\n`,
    };
    for (const [path, text] of Object.entries({ ...left, "cluster.txt": value, "left.txt": "left\n" }))
      writeFileSync(join(workspace, path), text);
    const result = await useOnHost({
      host,
      workspace,
      env: { KUBECONFIG: join(workspace, "cluster.txt") },
      inputs: {
        ...loop,
        "until-bash": "test $(rev secret/key.txt) = password && grep -qx green state.txt",
        publish,
        branch: publish === "branch" ? "mended" : "",
        "agent-command": "echo green > state.txt",
      },
    });
    expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success" });
    const log = result.log.join("\n");
    expect(log).toContain("neither recorded nor published: .npmrc, cluster.txt, gha-creds-01.json");
    expect(log).toMatch(/changed before the run.*: left\.txt/);
  }
  const all = host.git.git("cat-file", "--batch-all-objects", "--batch");
  expect(all).not.toContain(value);
  expect(all).not.toContain("drowssap");
  expect(host.git.git("ls-tree", "-r", "--name-only", "mended").split("\n")).toEqual([
    ".gitattributes",
    "left.txt",
    "secret/key.txt",
    "state.txt",
  ]);
});

test("links that an agent leaves where the report will be lead nowhere", async () => {
  const host = await hostOf();
  const outside = await mkdtemp(join(tmpdir(), "outside-"));
  onTestFinished(() => rm(outside, { recursive: true, force: true }));
  const run = "links-left-1";
  const agent = (link: string) =>
    `folder="$RUNNER_TEMP/until-green/${run}"; ${link}; echo green > state.txt; echo LD_PRELOAD=x`;
  const files = `mkdir -p "$folder"; ln -s ${outside}/a "$folder/final-message.md"; ln -s ${outside}/b "$folder/report.md"`;
  for (const link of [files, `ln -s ${outside} "$folder"`]) {
    const inputs = { ...loop, publish: "none", branch: "", "run-id": run, "agent-command": agent(link) };
    const result = await useOnHost({ host, inputs });
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "success",
      "output-file": expect.stringMatching(/final-message\.md$/),
    });
    expect(await readdir(outside)).toEqual([]);
    host.git.git("update-ref", "-d", `refs/until-green/${run}/state`);
    host.git.git("update-ref", "-d", `refs/until-green/${run}/work`);
  }
});

test("a key in a command or a prompt is refused before it is recorded", async () => {
  const host = await hostOf();
  const key = "sk_in_the_command_0123456789";
  const inputs = { ...loop, "openai-api-key": key, "agent-command": `curl -H "key: ${key}" | tee state.txt` };
  const result = await useOnHost({ host, inputs });
  expect(result.outputs).toMatchObject({ conclusion: "failure", "stop-reason": "internal", iterations: "0" });
  expect(result.annotations[0]?.message).toMatch(/^the prompt.* contains a key or a token.* as public as/);
  expect(JSON.stringify(result)).not.toContain(key);
  // The goal remembers that there was an attempt; of the run nothing is recorded.
  const refs = host.git.git("for-each-ref", "--format=%(refname)", "refs/until-green").split("\n");
  expect(refs).toEqual(["refs/until-green/goals/mended"]);
  expect(host.git.git("grep", "--fixed-strings", "--count", "", refs[0] ?? "")).not.toBe("");
  expect(() => host.git.git("grep", "--fixed-strings", key, refs[0] ?? "")).toThrow();
});

test("a variable with a token that may write is refused before anything starts; a read-only job may pass it on", async () => {
  const workflow = (granted: string) =>
    `on: push\njobs:\n  loop:\n    permissions: ${granted}\n    steps: []\n`;
  const host = await openGitHubHost({
    files: {
      "state.txt": "red\n",
      ".github/workflows/write.yml": workflow("{ contents: write }"),
      ".github/workflows/read.yml": workflow("{ contents: read, copilot-requests: write }"),
    },
  });
  onTestFinished(() => host.close());
  const run = async (file: string, env: Readonly<Record<string, string>>, more = {}) =>
    await useOnHost({
      host,
      env,
      github: { job: "loop", workflow_ref: `${host.repository}/.github/workflows/${file}@refs/heads/main` },
      inputs: { ...loop, publish: "none", branch: "", "agent-command": "echo green > state.txt", ...more },
    });
  for (const env of [
    { COPILOT_GITHUB_TOKEN: host.token },
    { MY_HEADER: `Bearer ${host.token}`, UNTIL_GREEN_AGENT_ENV: "MY_HEADER" },
  ]) {
    const [name = ""] = Object.keys(env);
    const refused = await run("write.yml", env);
    expect(refused.outputs).toMatchObject({ conclusion: "failure", iterations: "0" });
    expect(refused.annotations.map(({ message }) => message).join("\n")).toMatch(
      new RegExp(`\`${name}\` holds the token of this job, which may write.*hardened\\.yml`),
    );
    expect((await run("read.yml", env)).outputs).toMatchObject({ conclusion: "success" });
  }
  const pushing = { "push-token": host.tokenOf("octocat") };
  const refused = await run("read.yml", { COPILOT_GITHUB_TOKEN: host.tokenOf("octocat") }, pushing);
  expect(refused.outputs).toMatchObject({ conclusion: "failure", iterations: "0" });
  expect((await run("write.yml", { GITHUB_TOKEN: host.token })).outputs).toMatchObject({
    conclusion: "success",
  });
});
