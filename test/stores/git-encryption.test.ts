import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apiOf } from "../../src/github/api.ts";
import { openGitHub } from "../../src/github/client.ts";
import { digestOf } from "../../src/stores/git/commit-log.ts";
import { decrypt, encrypt, encrypted } from "../../src/stores/git/encrypt.ts";
import { sign } from "../../src/stores/git/sign.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { restRefs } from "../../src/stores/rest-ref.ts";
import { type GitServer, machineOf, openGitServer } from "../parts/git-server.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";

const run = "run-001";
const ref = `refs/until-green/${run}/state`;
const secretText = "what the agent said";

async function host() {
  const server = await openGitServer();
  const top = mkdtempSync(join(tmpdir(), "git-encryption-"));
  onTestFinished(async () => {
    await server.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 3 });
  });
  /** A store of a machine of its own. */
  const open = (stateKey?: string, remote = server.url) =>
    gitRefStore({
      remote,
      cwd: top,
      environment: machineOf(server, { home: top, temporary: mkdtempSync(join(top, "machine-")) }),
      rhythm: { pushMs: 60_000, lookMs: 0 },
      ...(stateKey === undefined ? {} : { stateKey }),
    });
  return { server, open };
}

/** All that a reader of the repository can read. */
const everythingIn = (server: GitServer) => server.git("cat-file", "--batch-all-objects", "--batch");

async function recordIn(store: ReturnType<typeof gitRefStore>): Promise<void> {
  const release = await store.hold(run);
  store.describe?.(run, { said: secretText });
  writeFileSync(join(await store.artifacts(run), "note.txt"), secretText);
  await store.append(run, 0, [`{"text":"${secretText}"}`]);
  await store.flush?.(run);
  await release();
}

test("with a state key only its holders can read a run", async () => {
  const { server, open } = await host();
  await recordIn(open("key one"));
  expect(everythingIn(server)).toContain(`"run": "${run}"`);
  expect(everythingIn(server)).not.toContain(secretText);
  const other = open("key one");
  expect(await other.read(run)).toEqual([`{"text":"${secretText}"}`]);
  expect(await other.status?.(run)).toEqual({ said: secretText });
  expect(readFileSync(join(await other.artifacts(run), "note.txt"), "utf8")).toBe(secretText);
});

test.each([
  ["none", undefined],
  ["another", "key two"],
])("where the key is %s the record is refused, and the key is named", async (what, key) => {
  const { open } = await host();
  await recordIn(open("key one"));
  const wanted = /\.([0-9a-f]{16})\./.exec(
    encrypt("key one", { run, what: "" }, Buffer.from("")).replace(/^ug1/, ""),
  )?.[1];
  await expect(open(key).read(run)).rejects.toThrow(
    what === "none"
      ? `encrypted with the state key ${wanted}, and here is none`
      : `encrypted with the state key ${wanted}, and here is another: add it as a further line of`,
  );
  expect(await open(key).list()).toEqual([run]);
});

test("a new key in the first line writes, and the old one below it still reads", async () => {
  const { open } = await host();
  await recordIn(open("old key"));
  await open("new key\nold key\n").append(run, 1, ["second"]);
  expect(await open("old key\nnew key").read(run)).toHaveLength(2);
  await expect(open("new key").read(run)).rejects.toThrow("and here is another: add it as a further line");
});

test("a record that was copied from another repository is refused, although it has the same key", async () => {
  const { server, open } = await host();
  await recordIn(open("key one"));
  cpSync(server.path, join(server.path, "../copy.git"), { recursive: true });
  const copy = open("key one", `${server.origin}/copy.git`);
  const why =
    "it was signed for the repository project, and this is copy. If the repository was renamed, correct the address of the remote";
  await expect(copy.read(run)).rejects.toThrow(why);
  expect((await copy.readMany?.([run]))?.get(run)?.damage?.message).toContain(why);
});

test("a record that does not name its repository, as earlier versions signed, is refused", async () => {
  const { server, open } = await host();
  const events = "first\n";
  const digest = digestOf(undefined, Buffer.from(events));
  const nonce = "0".repeat(32);
  const started = "2026-01-01T00:00:00.000Z";
  const head = {
    v: 1,
    run,
    seq: 1,
    epoch: 1,
    nonce,
    owner: "me",
    started,
    lines: 1,
    digest,
    status: { a: 1 },
  };
  const git = (input: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", server.path, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      input,
      encoding: "utf8",
    }).trim();
  const blob = (text: string) => git(text, "hash-object", "-w", "--stdin");
  const state = blob(JSON.stringify(sign(head, { secret: "key one", repository: undefined as never })));
  const tree = git(`100644 blob ${blob(events)}\tevents\n100644 blob ${state}\tstate\n`, "mktree");
  server.git("update-ref", ref, git("", "commit-tree", "-m", "x", tree));
  await expect(open("key one").read(run)).rejects.toThrow("without the name of its repository");
});

test("what is encrypted decrypts in no other place, and not changed", () => {
  const place = { run, what: "events" };
  const text = encrypt("key", place, Buffer.from("words"));
  expect(decrypt("key", place, text).toString()).toBe("words");
  const [version, id, body = ""] = text.split(".");
  const changed = [version, id, `${body.slice(0, 20)}${body[20] === "A" ? "B" : "A"}${body.slice(21)}`].join(
    ".",
  );
  for (const [where, what] of [
    [{ run, what: "status" }, text],
    [{ run: "run-002", what: "events" }, text],
    [place, changed],
    [place, text.slice(0, 30)],
  ] as const)
    expect(() => decrypt("key", where, what)).toThrow(/run-00|damaged/);
});

test("what the API adds to an encrypted record is encrypted, and git reads it", async () => {
  const github = await openGitHubHost({ files: { "a.txt": "a\n" } });
  onTestFinished(() => github.close());
  const top = mkdtempSync(join(tmpdir(), "git-encryption-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 3 }));
  const open = () =>
    gitRefStore({
      remote: github.cloneUrl,
      cwd: top,
      token: github.token,
      stateKey: "key one",
      environment: machineOf(
        { ...github.git, origin: github.origin },
        { home: top, temporary: mkdtempSync(join(top, "machine-")) },
      ),
      rhythm: { pushMs: 60_000, lookMs: 0 },
    });
  await recordIn(open());
  const { token, repository, url: apiUrl } = github;
  const client = openGitHub({ token, repository, apiUrl });
  const place = { api: apiOf(client), ...client.at };
  const refs = restRefs({ ...place, key: "key one" });
  const { tip } = await refs.look(run, { lines: true });
  if (tip === undefined) throw new Error("the run is not there");
  expect(tip.lines).toEqual([`{"text":"${secretText}"}`]);
  expect(tip.state["status"]).toEqual({ said: secretText });
  const state = { status: { said: `${secretText} again` } };
  expect(await refs.append(tip, { lines: [secretText], owner: "ann", at: tip.head.started, state })).toMatch(
    /^[0-9a-f]{40}$/,
  );
  expect(everythingIn(github.git)).not.toContain(secretText);
  expect(await open().read(run)).toEqual([`{"text":"${secretText}"}`, secretText]);
  expect(await open().status?.(run)).toEqual(state.status);
  const keyless = restRefs(place);
  await expect(keyless.look(run)).rejects.toThrow(encrypted);
});
