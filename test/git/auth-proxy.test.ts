import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAuthProxy } from "../../src/git/auth-proxy.ts";
import { loginOf } from "../../src/git/credentials.ts";
import type { RefUpdateCommand } from "../../src/git/push-commands.ts";
import { findRemote } from "../../src/git/remote.ts";
import { pushOnce } from "../../src/git/remote-calls.ts";
import { type GitServer, openGitServer } from "../parts/git-server.ts";

const run = promisify(execFile);
const zeros = "0".repeat(40);

/** A git host, a repository with two commits, and a way to the host for one push or fetch. */
async function openScene() {
  const host = await openGitServer();
  onTestFinished(() => host.close());
  const dir = mkdtempSync(join(tmpdir(), "forwarder-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await gitIn(dir, "init", "--quiet", "--initial-branch=main");
  const commit = async (text: string) => {
    writeFileSync(join(dir, "file"), text);
    await gitIn(dir, "add", "file");
    await gitIn(dir, "commit", "--quiet", "--message", text);
    return (await gitIn(dir, "rev-parse", "HEAD")).stdout.trim();
  };
  const ours = await commit("ours");
  const theirs = await commit("theirs");
  return { host, dir, ours, theirs };
}

const gitIn = (dir: string, ...args: readonly string[]) =>
  run("git", ["-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    env: { PATH: process.env["PATH"], HOME: dir, GIT_TERMINAL_PROMPT: "0" },
    timeout: 30_000,
  });

async function wayTo(
  { url, origin, token }: Pick<GitServer, "url" | "origin" | "token">,
  commands: readonly RefUpdateCommand[] | undefined,
) {
  const key = `Authorization: basic ${Buffer.from(`x:${token}`).toString("base64")}`;
  const login = loginOf(url, [[`http.${origin}/.extraheader`, key]], {});
  if (login === undefined) throw new Error("no login");
  const service = commands === undefined ? "git-upload-pack" : "git-receive-pack";
  const way = await openAuthProxy({ login, service, commands: commands ?? [] });
  onTestFinished(() => way.close());
  return way;
}

const refsOf = (host: GitServer) => host.git("for-each-ref", "--format=%(refname) %(objectname)");

describe("the way of a push", () => {
  test("takes the push it was opened for, of any size, and takes it again", async () => {
    const { host, dir, ours } = await openScene();
    writeFileSync(
      join(dir, "large"),
      Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * at) >> 7)),
    );
    await gitIn(dir, "add", "large");
    await gitIn(dir, "commit", "--quiet", "--message", "large");
    const to = (await gitIn(dir, "rev-parse", "HEAD")).stdout.trim();
    const way = await wayTo(host, [{ ref: "refs/heads/work", expected: undefined, to }]);
    await gitIn(dir, "push", "--quiet", way.url, `${to}:refs/heads/work`);
    expect(refsOf(host)).toBe(`refs/heads/work ${to}`);
    host.git("update-ref", "-d", "refs/heads/work");
    await gitIn(dir, "push", "--quiet", way.url, `${to}:refs/heads/work`);
    expect(refsOf(host)).toBe(`refs/heads/work ${to}`);
    expect(ours).not.toBe(to);
  });

  test.each([
    ["another ref", ({ ours }: Ids) => [`${ours}:refs/heads/other`]],
    ["another commit", ({ theirs }: Ids) => [`${theirs}:refs/heads/work`]],
    ["a deletion", () => [":refs/heads/main"]],
    ["one ref more", ({ ours }: Ids) => [`${ours}:refs/heads/work`, `${ours}:refs/tags/more`]],
    ["an option for the host", ({ ours }: Ids) => ["-o", "ci.skip", `${ours}:refs/heads/work`]],
  ])("does not take %s", async (_, words) => {
    const { host, dir, ours, theirs } = await openScene();
    host.git("config", "receive.advertisePushOptions", "true");
    await run("git", ["-C", dir, "push", "--quiet", host.path, `${ours}:refs/heads/main`]);
    const before = refsOf(host);
    const way = await wayTo(host, [{ ref: "refs/heads/work", expected: undefined, to: ours }]);
    const [first = "", ...more] = words({ ours, theirs });
    const args =
      first === "-o" ? ["-o", more[0] ?? "", way.url, ...more.slice(1)] : [way.url, first, ...more];
    await expect(gitIn(dir, "push", ...args)).rejects.toThrow(/403|HTTP|rpc/i);
    expect(refsOf(host)).toBe(before);
  });

  test("moves a ref only from where it was expected", async () => {
    const { host, dir, ours, theirs } = await openScene();
    await run("git", ["-C", dir, "push", "--quiet", host.path, `${theirs}:refs/heads/work`]);
    const way = await wayTo(host, [{ ref: "refs/heads/work", expected: zeros.replace(/0/g, "1"), to: ours }]);
    await expect(gitIn(dir, "push", "--force", way.url, `${ours}:refs/heads/work`)).rejects.toThrow(
      /403|HTTP/,
    );
    expect(refsOf(host)).toBe(`refs/heads/work ${theirs}`);
  });

  test("fetches nothing, and that of a fetch pushes nothing", async () => {
    const { host, dir, ours } = await openScene();
    const push = await wayTo(host, []);
    await expect(gitIn(dir, "ls-remote", push.url)).rejects.toThrow(/404|not found/i);
    const fetch = await wayTo(host, undefined);
    await expect(gitIn(dir, "push", fetch.url, `${ours}:refs/heads/work`)).rejects.toThrow(/404|not found/i);
    expect(refsOf(host)).toBe("");
  });
});

interface Ids {
  readonly ours: string;
  readonly theirs: string;
}

test.each([
  ["no path", "/"],
  ["another repository beside it", "/../other.git/info/refs?service=git-upload-pack"],
  ["the same without the secret in it", "/info/refs?service=git-upload-pack"],
])("%s leads nowhere", async (_, path) => {
  const { host } = await openScene();
  const { url } = await wayTo(host, undefined);
  const target = path.startsWith("/..") ? `${url}${path}` : new URL(path, url).href;
  expect((await fetch(target)).status).toBe(404);
  expect(host.seen).toEqual([]);
});

test("once it is closed no connection gets through", async () => {
  const { host } = await openScene();
  const way = await wayTo(host, undefined);
  expect((await fetch(`${way.url}/info/refs?service=git-upload-pack`)).status).toBe(200);
  way.close();
  await expect(fetch(`${way.url}/info/refs?service=git-upload-pack`)).rejects.toThrow();
});

test("a repository that has another name by now is found, and at no other host", async () => {
  const { host } = await openScene();
  const asked: IncomingMessage[] = [];
  const moved = createServer((request, response) => {
    asked.push(request);
    const to = request.url?.startsWith("/old.git") ? "/new.git" : "http://localhost:1/x.git";
    if (request.url?.startsWith("/new.git")) return void response.end("there");
    response.writeHead(301, { location: `${to}/info/refs?service=git-upload-pack` }).end();
  });
  await new Promise<void>((listening) => moved.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void moved.close());
  const origin = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
  const there = await wayTo({ url: `${origin}/old.git`, origin, token: host.token }, undefined);
  expect(await (await fetch(`${there.url}/info/refs?service=git-upload-pack`)).text()).toBe("there");
  const away = await wayTo({ url: `${origin}/away.git`, origin, token: host.token }, undefined);
  expect((await fetch(`${away.url}/info/refs?service=git-upload-pack`, { redirect: "manual" })).status).toBe(
    301,
  );
});

test.runIf(existsSync("/proc/self/environ"))(
  "while git pushes, nobody finds the token in what git was given",
  async () => {
    const { host, dir, ours } = await openScene();
    const seen = join(dir, "seen");
    mkdirSync(seen);
    // The host's own hook looks around while the push waits for it, at all that works for this test.
    host.preReceive(
      `for p in $(grep -als ${dir} /proc/[0-9]*/environ); do tr "\\0" "\\n" < $p; tr "\\0" " " < \${p%environ}cmdline; done >> ${seen}/all; true`,
    );
    const remote = await findRemote({
      cwd: dir,
      remote: host.url,
      token: host.token,
      environment: { PATH: process.env["PATH"], HOME: dir, GITHUB_SERVER_URL: host.origin },
      timeoutMs: 30_000,
      patienceMs: 1_000,
    });
    const update = { ref: "refs/heads/work", expected: undefined, to: ours };
    expect(await pushOnce(remote, { gitDir: join(dir, ".git"), updates: [update], atomic: false })).toBe("");
    const all = readFileSync(join(seen, "all"), "latin1");
    expect(all).toContain("until-green-exchange-");
    expect(all).not.toContain(host.token);
    expect(all).not.toContain(Buffer.from(`x-access-token:${host.token}`).toString("base64").slice(0, 30));
  },
);

describe("the login", () => {
  const header: readonly [string, string] = [
    "http.https://github.com/.extraheader",
    "AUTHORIZATION: basic a2V5",
  ];
  const url = "https://github.com/a/b.git";
  test.each([
    ["a header for the host", [header], { authorization: "basic a2V5" }],
    ["a login in the address", [], { authorization: `basic ${Buffer.from("x:k y").toString("base64")}` }],
    ["one taken back by an empty one", [header, ["http.https://github.com/.extraheader", ""]], undefined],
    ["one for another host", [["http.https://ghe.test/.extraheader", header[1]]], undefined],
    ["one for another part of the host", [["http.https://github.com/c.extraheader", header[1]]], undefined],
    ["a client certificate, which only git knows to show", [header, ["http.sslcert", "/c"]], undefined],
  ] as const)("is that of %s", (what, settings, headers) => {
    const address = what.includes("address") ? url.replace("//", "//x:k%20y@") : url;
    const login = loginOf(address, settings, {});
    expect(login?.headers).toEqual(headers);
    if (login !== undefined) expect(login.url.href).toBe(url);
  });

  test("is left to git where the proxy is one that only git knows", () => {
    expect(loginOf(url, [header, ["http.proxy", "socks5://127.0.0.1:1"]], {})).toBeUndefined();
    expect(loginOf(url, [header], { ALL_PROXY: "http://127.0.0.1:1" })).toBeUndefined();
    const proxies = { https_proxy: "http://127.0.0.1:1", no_proxy: "x" };
    expect(loginOf(url, [header], proxies)?.proxies).toEqual(proxies);
  });
});
