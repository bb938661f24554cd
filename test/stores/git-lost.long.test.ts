import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareRepository } from "../../src/git/bare-repository.ts";
import { writeCommit } from "../../src/git/objects.ts";
import { openMachines } from "../parts/git-machines.ts";

const { top, host, machine, at } = openMachines();

describe("a host that lost", () => {
  test("objects of the workspace still takes the run", async () => {
    const server = await host();
    const environment = machine(server);
    await at(server, { environment }).append("run-001", 0, ["a"]);
    writeFileSync(join(server.path, "lost"), "lost");
    const blob = server.git("hash-object", "-w", "lost");
    server.git("update-index", "--add", "--cacheinfo", `100644,${blob},lost`);
    const who = ["-c", "user.name=eve", "-c", "user.email=e@ve"];
    const work = server.git(...who, "commit-tree", server.git("write-tree"), "-m", "work");
    server.git("update-ref", "refs/until-green/run-001/work", work);
    rmSync(join(server.path, "objects", work.slice(0, 2), work.slice(2)));
    const messages: string[] = [];
    await at(server, { environment, patienceMs: 5_000, notice: (text) => messages.push(text) }).append(
      "run-001",
      1,
      ["b"],
    );
    expect(messages.join()).toContain("has lost objects of the run's workspace");
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
  });

  test.each([
    ["its newest state commit", ["state"]],
    ["several of them", ["state", "state~1"]],
    ["one of each ref", ["state", "work"]],
  ])("%s of a run gets them again from the machine that has them", async (_, names) => {
    const server = await host();
    const environment = machine(server);
    const refs = "refs/until-green/run-001";
    const store = at(server, { environment });
    for (const [index, line] of ["a", "b", "c"].entries()) await store.append("run-001", index, [line]);
    const who = ["-c", "user.name=eve", "-c", "user.email=e@ve"];
    const empty = server.git("hash-object", "-w", "-t", "tree", "/dev/null");
    server.git("update-ref", `${refs}/work`, server.git(...who, "commit-tree", empty, "-m", "work"));
    for (const id of names.map((name) => server.git("rev-parse", `${refs}/${name}`)))
      rmSync(join(server.path, "objects", id.slice(0, 2), id.slice(2)));
    await expect(at(server).read("run-001")).rejects.toThrow("the host does not have it");
    const messages: string[] = [];
    const later = at(server, { environment, patienceMs: 5_000, notice: (text) => messages.push(text) });
    expect(await later.read("run-001")).toEqual(["a", "b", "c"]);
    await later.append("run-001", 3, ["d"]);
    expect(messages.join()).toContain("has lost records of the run: they are pushed again");
    expect(await at(server).read("run-001")).toEqual(["a", "b", "c", "d"]);
    expect(server.git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("a commit of another ref refuses the run with the remedy", async () => {
    const server = await host();
    const environment = machine(server);
    await at(server, { environment }).append("run-001", 0, ["a"]);
    await at(server).append("run-002", 0, ["other"]);
    const id = server.git("rev-parse", "refs/until-green/run-002/state");
    rmSync(join(server.path, "objects", id.slice(0, 2), id.slice(2)));
    await expect(at(server, { environment }).append("run-001", 1, ["b"])).rejects.toThrow(
      /did not accept the run: missing necessary objects: .*git fsck.*then until-green resume run-001/,
    );
    server.git("update-ref", "-d", "refs/until-green/run-002/state");
    await at(server, { environment }).append("run-001", 1, ["b"]);
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
  });
});

test("a machine whose snapshots lost objects still pushes what is recorded", async () => {
  const server = await host();
  const environment = machine(server);
  const gitDir = bareRepository(mkdtempSync(join(top, "snapshots-")), "snapshots.git", "sha1");
  const checkout = { gitDir, objects: join(gitDir, "objects"), format: "sha1" } as const;
  const messages: string[] = [];
  const notice = (text: string) => messages.push(text);
  const store = at(server, { environment, checkout, snapshots: () => gitDir, patienceMs: 5_000, notice });
  const first = writeCommit(gitDir, "sha1", { tree: {}, parents: [], message: "lost" });
  const release = await store.hold("run-001");
  store.work?.keep("run-001", writeCommit(gitDir, "sha1", { tree: {}, parents: [first], message: "work" }));
  rmSync(join(gitDir, "objects", first.slice(0, 2), first.slice(2)));
  await store.append("run-001", 0, ["a"]);
  await store.flush?.("run-001");
  await release();
  expect(messages.join()).toContain("the workspace of this iteration stays on this machine");
  expect(await at(server).read("run-001")).toEqual(["a"]);
});

describe("the commands of the machine that knew a run", () => {
  const refs = "refs/until-green/run-001";

  /** A run with a workspace at the host; `open` makes a later process of its machine. */
  async function written() {
    const server = await host();
    const environment = machine(server);
    const gitDir = bareRepository(mkdtempSync(join(top, "snapshots-")), "snapshots.git", "sha1");
    const checkout = { gitDir, objects: join(gitDir, "objects"), format: "sha1" } as const;
    const open = () => at(server, { environment, checkout, snapshots: () => gitDir });
    const store = open();
    const release = await store.hold("run-001");
    store.work?.keep("run-001", writeCommit(gitDir, "sha1", { tree: {}, parents: [], message: "work" }));
    await store.append("run-001", 0, ["a"]);
    await release();
    const listed = () => server.git("for-each-ref", "--format=%(objectname) %(refname)");
    return { server, open, listed };
  }

  /** Does what a text says, at the host's folder instead of its address. */
  function follow(text: string, { url, path }: { readonly url: string; readonly path: string }): void {
    for (const command of text.match(/git -C \S+ push [^;]+?(?=;|$)/g) ?? [])
      execFileSync("sh", ["-c", command.replace(url, path)], { stdio: "pipe" });
  }

  test.each([
    ["both refs", ["state", "work"]],
    ["the state ref", ["state"]],
  ])("put back what was deleted: %s", async (_, names) => {
    const { server, open, listed } = await written();
    const before = listed();
    for (const name of names) server.git("update-ref", "-d", `${refs}/${name}`);
    const later = open();
    expect(await later.read("run-001")).toEqual([]);
    follow(later.whyGone?.("run-001") ?? "", server);
    expect(listed()).toBe(before);
  });

  test.each([
    ["the state ref", ["state"]],
    ["both refs", ["state", "work"]],
  ])("put back what names commits that nobody has: %s", async (_, names) => {
    const { server, open, listed } = await written();
    const before = listed();
    for (const [at, name] of names.entries())
      writeFileSync(join(server.path, refs, name), `123456789012345678901234567890123456789${at}\n`);
    const outcome = await open()
      .read("run-001")
      .then(String, ({ message }: Error) => message);
    follow(outcome, server);
    expect(listed()).toBe(before);
  });
});

test.each(["garbage", ""])(
  "the error for a host with a broken older object (%j) says to repair it there",
  async (content) => {
    const server = await host();
    await at(server).append("run-001", 0, ["a"]);
    await at(server).append("run-001", 1, ["b"]);
    const older = server.git("rev-parse", "refs/until-green/run-001/state~1");
    const path = join(server.path, "objects", older.slice(0, 2), older.slice(2));
    rmSync(path);
    writeFileSync(path, content);
    await expect(at(server, { patienceMs: 6_000 }).read("run-001")).rejects.toThrow(
      /^the repository .* is damaged .*git fsck.* at the host/,
    );
  },
);

test.runIf(process.getuid?.() === 0)(
  "a host on this machine that belongs to another user is used once the user trusts it",
  async () => {
    const server = await host();
    const environment = machine(server);
    await at(server, { environment }).append("run-001", 0, ["a"]);
    chownSync(server.path, 65_534, 65_534);
    const read = () => at(server, { environment, remote: server.path, patienceMs: 60_000 }).read("run-001");
    await expect(read()).rejects.toThrow(`git config --global --add safe.directory ${server.path}`);
    writeFileSync(join(top, ".gitconfig"), `[safe]\n\tdirectory = ${server.path}\n`);
    expect(await read()).toEqual(["a"]);
    rmSync(join(top, ".gitconfig"));
  },
);
