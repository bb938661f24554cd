import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPlayground, type PlaygroundOptions, runGit } from "./playground.ts";

const value = "w8Zk31Qpp0aXs72LmNvB";
const npmrc = `//registry.example.com/:_authToken=${value}\n`;
const google = JSON.stringify({ type: "service_account", private_key: value }, undefined, 2);
const kube = `apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: ${value}\n`;

/** Everything that can be reached in the private repository. */
const recorded = (play: ReturnType<typeof openPlayground>) =>
  play.kept("log", "--all", "-p", "--text", "--format=%B");

test("credentials that earlier steps left are in no snapshot, whatever their names", async () => {
  const files = { "a.txt": "a\n", "tracked.npmrc/.npmrc": "registry=x\n", "key.pem": "none\n" };
  const play = openPlayground({ files });
  const kubeconfig = join(play.top, "deploy/cluster");
  vi.stubEnv("KUBECONFIG", `${kubeconfig}:/nowhere`);
  vi.stubEnv("SOME_TOOL_CREDENTIALS_FILE", join(play.top, "tool.txt"));
  onTestFinished(() => void vi.unstubAllEnvs());
  play.write({
    "gha-creds-0123456789abcdef.json": "{}",
    ".npmrc": npmrc,
    "tracked.npmrc/.npmrc": npmrc,
    "deploy/cluster": "anything",
    "tool.txt": "anything",
    "sub/google.json": google,
    "sub/kube.yaml": kube,
    "sub/plain.npmrc": "//registry.example.com/:_authToken=${NPM_TOKEN}\n",
    "key.pem": "-----BEGIN PRIVATE KEY-----\nx\n",
    "fixture.pem": "-----BEGIN PRIVATE KEY-----\nx\n",
    "left.txt": "by an earlier step\n",
  });
  chmodSync(join(play.top, "key.pem"), 0o600);
  const first = await play.snapshot();
  expect(first.diff?.paths).toEqual(["fixture.pem", "left.txt", "sub/plain.npmrc"]);
  expect(first.credentials).toEqual([
    ".npmrc",
    "deploy/cluster",
    "gha-creds-0123456789abcdef.json",
    "key.pem",
    "sub/google.json",
    "sub/kube.yaml",
    "tool.txt",
    "tracked.npmrc/.npmrc",
  ]);
  // Also if an agent appends to one, moves one or logs in itself.
  play.write({
    ".npmrc": `${npmrc}x=y\n`,
    "moved.json": google,
    "pkg/.netrc": "machine a login b password c\n",
  });
  play.write({ "fixtures/google.json": google.replace(value, "example") });
  const second = await play.snapshot(first.commit);
  expect(second.diff?.paths).toEqual(["fixtures/google.json"]);
  expect(second.credentials).toContain("moved.json");
  expect(recorded(play)).not.toContain(value);
  expect(() => play.kept("cat-file", "blob", play.git("hash-object", ".npmrc").trim())).toThrow();
  // The user's files stay as they were.
  await play.ask({ op: "restore", commit: first.commit ?? "" });
  expect(play.read("tracked.npmrc/.npmrc")).toBe(npmrc);
  expect(play.read("sub/google.json")).toBe(google);
});

test("protecting files leaves a login alone that was there before", async () => {
  const play = openPlayground({ files: { ".npmrc": "registry=x\n", "a.txt": "a\n" } });
  play.write({ ".npmrc": npmrc, "sub/.npmrc": npmrc });
  const { commit = "" } = await play.snapshot();
  expect(await play.ask({ op: "protect", commit, globs: ["**/.npmrc"] })).toEqual({ restored: [] });
  expect([play.read(".npmrc"), play.read("sub/.npmrc")]).toEqual([npmrc, npmrc]);
  const evil = "script-shell=./evil\n";
  play.write({ ".npmrc": evil, "pkg/.npmrc": `${npmrc}${evil}`, "pkg/secret/a": "" });
  const restored = [".npmrc", "pkg/.npmrc"];
  expect(await play.ask({ op: "protect", commit, globs: ["**/.npmrc"] })).toEqual({ restored });
  expect(play.read(".npmrc")).toBe("registry=x\n");
  expect(() => play.read("pkg/.npmrc")).toThrow();
});

test("a login that an agent adds and commits is kept back too", async () => {
  const play = openPlayground({ files: { "a.txt": "a\n" } });
  const { commit } = await play.snapshot();
  play.write({ "pkg/.npmrc": npmrc, "b.txt": "b\n" });
  play.git("add", "--all");
  play.git("commit", "-q", "-m", "by the agent");
  const last = await play.snapshot(commit);
  expect(last).toMatchObject({ credentials: ["pkg/.npmrc"], diff: { paths: ["b.txt"] } });
  expect(recorded(play)).not.toContain(value);
});

/** A repository whose `secret/` and notebooks pass through filters, as git-crypt and nbstripout install them. */
function filtered(options: PlaygroundOptions = {}) {
  const play = openPlayground({
    files: { ".gitattributes": "secret/** filter=crypt\n*.bin filter=lfs\n", "a.txt": "a\n" },
    ...options,
  });
  play.git("config", "filter.crypt.clean", "rev");
  play.git("config", "filter.crypt.smudge", "rev");
  play.git("config", "filter.strip.clean", "tr a-z A-Z");
  mkdirSync(join(play.top, ".git/info"), { recursive: true });
  writeFileSync(join(play.top, ".git/info/attributes"), "*.ipynb filter=strip\n");
  play.write({ "secret/key.txt": "drowssap\n", "note.ipynb": "output\n", "x.bin": "bin\n" });
  play.git("add", "--all");
  play.git("commit", "-q", "-m", "secrets");
  // The working tree is as a checkout in the same instant leaves it: git must look at the bytes.
  const now = new Date();
  for (const path of ["secret/key.txt", "note.ipynb"]) utimesSync(join(play.top, path), now, now);
  expect(play.git("status", "--porcelain")).toBe("");
  return play;
}

test("files behind the user's own filters keep what is committed; changes of them are withheld and named", async () => {
  const play = filtered();
  const first = await play.snapshot();
  expect(first).toMatchObject({ diff: { files: 0 } });
  expect(first.filtered).toBeUndefined();
  expect(play.kept("show", `${first.commit}:secret/key.txt`)).toBe("password\n");
  expect(play.kept("show", `${first.commit}:note.ipynb`)).toBe("OUTPUT\n");
  play.write({
    "a.txt": "b\n",
    "x.bin": "other\n",
    "secret/key.txt": "changed\n",
    "secret/new.txt": "new\n",
  });
  play.write({ "copy.txt": "output\n", ".gitattributes": "* filter=evil\n" });
  const second = await play.snapshot(first.commit);
  expect(second.diff?.paths).toEqual([".gitattributes", "a.txt", "x.bin"]);
  // A copy holds the same secret; which files have a filter is said by the attributes of the start.
  expect(second.filtered).toEqual(["secret/key.txt", "secret/new.txt"]);
  play.write({ ".gitattributes": "", "secret/key.txt": "drowssap\n" });
  const third = await play.snapshot(second.commit);
  expect(third.filtered).toEqual(["secret/new.txt"]);
  for (const text of ["drowssap", "changed", "output", "new"])
    expect(recorded(play)).not.toMatch(new RegExp(`^\\+${text}$`, "m"));
  await play.ask({ op: "restore", commit: first.commit ?? "" });
  expect(play.read("secret/key.txt")).toBe("drowssap\n");
});

test("a fork has them as the checkout has them, and joins without them", async () => {
  const play = filtered();
  await play.snapshot();
  const { path = "" } = await play.ask({ op: "fork", name: "one" });
  expect(readFileSync(join(path, "secret/key.txt"), "utf8")).toBe("drowssap\n");
  writeFileSync(join(path, "a.txt"), "joined\n");
  await play.ask({ op: "join", name: "one", from: "" });
  expect([play.read("a.txt"), play.read("secret/key.txt")]).toEqual(["joined\n", "drowssap\n"]);
  const last = await play.snapshot();
  expect(last.diff?.paths).toEqual(["a.txt"]);
  rmSync(join(play.top, "secret/key.txt"));
  expect((await play.snapshot(last.commit)).filtered).toEqual(["secret/key.txt"]);
  expect(recorded(play)).not.toContain("drowssap");
  expect(runGit(play.top, "status", "--porcelain")).toContain("a.txt");
});
