import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { logFile } from "../../src/stores/log-file.ts";
import { openMachines } from "../parts/git-machines.ts";
import type { GitServer } from "../parts/git-server.ts";
import { keepsTheLogStoreContract } from "./log-store.contract.ts";

const { top, host, machine, at } = openMachines();

const fixture = join(import.meta.dirname, "../fixtures/store-process.ts");
const other = (
  server: GitServer,
  { what, count = 0, temporary }: { what: string; count?: number; temporary?: string },
) =>
  spawn(process.execPath, [fixture, `git:${server.url}`, "run-001", what, String(count)], {
    cwd: top,
    env: machine(server, temporary),
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 100_000,
  });

keepsTheLogStoreContract("the git-ref store", async () => at(await host()), { rounds: 6 });

describe("of several processes on several machines", () => {
  // Four processes at once: on a busy machine they take their time.
  test("all append without losing or mixing a line", { timeout: 120_000 }, async () => {
    const server = await host();
    const racers = [1, 2, 3, 4].map(() => other(server, { what: "race", count: 3 }));
    await Promise.all(racers.map((racer) => once(racer.stdout, "data")));
    const ends = racers.map((racer) => once(racer, "exit"));
    for (const racer of racers) racer.stdin.end();
    expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
    const lines = await at(server).read("run-001");
    expect(lines).toHaveLength(12);
    for (const { pid } of racers)
      expect(lines.filter((line) => line.startsWith(`${pid} `))).toEqual([0, 1, 2].map((n) => `${pid} ${n}`));
  });
  test("that append the very same line, exactly one wins", async () => {
    const server = await host();
    const racers = [1, 2, 3, 4].map(() => other(server, { what: "same" }));
    const outputs = racers.map((racer) => createInterface(racer.stdout)[Symbol.asyncIterator]());
    await Promise.all(outputs.map((lines) => lines.next()));
    for (const racer of racers) racer.stdin.end();
    const ends = await Promise.all(outputs.map(async (lines) => (await lines.next()).value));
    expect(ends.toSorted()).toEqual(["StaleLogError", "StaleLogError", "StaleLogError", "won"]);
    expect(await at(server).read("run-001")).toEqual(["the same"]);
  });
  // Five processes, one after the other: on a busy machine they take their time.
  const killed = "one killed at any moment loses no line it had acknowledged on its machine";
  test(killed, { timeout: 120_000 }, async () => {
    const server = await host();
    const temporary = mkdtempSync(join(top, "machine-"));
    let before = 0;
    for (let round = 0; round < 5; round += 1) {
      const child = other(server, { what: "loop", temporary });
      const gone = once(child, "exit");
      let acknowledged = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line);
        if (acknowledged >= before + 2 + round * 3) child.kill("SIGKILL");
      }
      // Its output ends a moment before it does.
      await gone;
      const store = at(server, { environment: machine(server, temporary) });
      const release = await store.hold("run-001");
      const lines = await store.read("run-001");
      expect(lines.length).toBeGreaterThanOrEqual(acknowledged);
      expect(lines.every((line, index) => line.startsWith(`${index} x`))).toBe(true);
      before = lines.length;
      await release();
      expect(await at(server).read("run-001")).toEqual(lines);
    }
    expect(server.git("fsck", "--strict")).toBe("");
  });
});

describe("a push after which the process was killed at once", () => {
  test("leaves what was appended while it continued to be pushed by the next one", async () => {
    const server = await host();
    const [temporary, killed] = [mkdtempSync(join(top, "machine-")), join(top, "killed")];
    const store = at(server, { environment: machine(server, temporary) });
    await store.hold("run-001");
    await store.append("run-001", 0, ["a", "b"]);
    cpSync(temporary, killed, { recursive: true, filter: (file) => !file.endsWith("owner") });
    await store.flush?.("run-001");
    const [waiting = ""] = globSync("**/pending-none.jsonl", { cwd: killed });
    logFile("run-001", join(killed, waiting)).append(2, ["c"]);
    const next = at(server, { environment: machine(server, killed) });
    const release = await next.hold("run-001");
    expect(await next.read("run-001")).toEqual(["a", "b", "c"]);
    await next.append("run-001", 3, ["d"]);
    await release();
    expect(await at(server).read("run-001")).toEqual(["a", "b", "c", "d"]);
  });
});

describe("who holds a run", () => {
  test("appends on this machine, and elsewhere only what was flushed is seen", async () => {
    const server = await host();
    const store = at(server);
    const release = await store.hold("run-001");
    await store.append("run-001", 0, ["a"]);
    expect(await store.read("run-001")).toEqual(["a"]);
    expect(await at(server).read("run-001")).toEqual([]);
    await store.flush?.("run-001");
    expect(await at(server).read("run-001")).toEqual(["a"]);
    await store.append("run-001", 1, ["b"]);
    await release();
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
  });
  test("learns when another was first, and gets back what it had appended", async () => {
    const server = await host();
    const store = at(server);
    await store.hold("run-001");
    await store.append("run-001", 0, ["a"]);
    await store.flush?.("run-001");
    await store.append("run-001", 1, ["b", "c"]);
    await at(server).append("run-001", 1, ["decided"]);
    await expect(store.flush?.("run-001")).rejects.toMatchObject({
      name: "StaleLogError",
      undone: ["b", "c"],
    });
    expect(await store.read("run-001")).toEqual(["a", "decided"]);
    await store.append("run-001", 2, ["b"]);
    await at(server).append("run-001", 2, ["decided again"]);
    await expect(store.read("run-001", 3)).rejects.toMatchObject({ undone: ["b"] });
    expect(await store.read("run-001", 2)).toEqual(["decided again"]);
  });
  test("on two machines: the first to flush gets the run, the other is refused", async () => {
    const server = await host();
    const [one, two] = [at(server), at(server)];
    for (const store of [one, two]) await store.hold("run-001");
    await one.append("run-001", 0, ["mine"]);
    await one.flush?.("run-001");
    await two.append("run-001", 0, ["mine"]);
    await expect(two.flush?.("run-001")).rejects.toMatchObject({ name: "StaleLogError", undone: ["mine"] });
  });
  test("takes its small files along, without secrets, and a decision elsewhere leaves them there", async () => {
    const server = await host();
    const store = at(server, { secrets: ["hush-hush-hush"] });
    const release = await store.hold("run-001");
    const folder = await store.artifacts("run-001");
    writeFileSync(join(folder, "note.txt"), "it is hush-hush-hush");
    await store.append("run-001", 0, ["a"]);
    await release();
    await at(server).append("run-001", 1, ["decided"]);
    const there = await at(server).artifacts("run-001");
    expect(there).not.toBe(folder);
    expect(readFileSync(join(there, "note.txt"), "utf8")).toBe("it is ***");
  });
});

describe("a modified chain is refused, never guessed at:", () => {
  const ref = "refs/until-green/run-001/state";
  const written = async () => {
    const server = await host();
    const store = at(server);
    for (const [index, line] of ["a", "b", "c"].entries()) await store.append("run-001", index, [line]);
    return { server, store };
  };
  /** Puts another commit in the place of the last one. */
  const forge = (server: GitServer, change: (state: string, events: string) => readonly [string, string]) => {
    const [state, events] = change(
      server.git("show", `${ref}:state`),
      `${server.git("show", `${ref}:events`)}\n`,
    );
    const blobs = [state, events].map((text) => {
      writeFileSync(join(server.path, "forged"), text);
      return server.git("hash-object", "-w", "forged");
    });
    writeFileSync(join(server.path, "index-forged"), "");
    rmSync(join(server.path, "index-forged"));
    const add = ["state", "events"].flatMap((name, at) => ["--cacheinfo", `100644,${blobs[at]},${name}`]);
    server.git("update-index", "--add", ...add);
    const tree = server.git("write-tree");
    const who = ["-c", "user.name=eve", "-c", "user.email=e@ve"];
    const forged = server.git(...who, "commit-tree", tree, "-p", `${ref}~1`, "-m", "forged");
    server.git("update-ref", ref, forged);
  };
  test.each<[string, (state: string, events: string) => readonly [string, string]]>([
    ["other events", (state) => [state, "C\n"]],
    ["events without their end", (state) => [state, "c"]],
    ["another run", (state, events) => [state.replace("run-001", "run-002"), events]],
    ["a gap in its numbers", (state, events) => [state.replace('"seq": 3', '"seq": 4'), events]],
    ["an owner who had lost it", (state, events) => [state.replace(/"epoch": \d+/, '"epoch": -1'), events]],
    ["no state", (_, events) => ["", events]],
    ["a later version", (state, events) => [state.replace('"v": 1', '"v": 3'), events]],
  ])("%s", async (_, change) => {
    const { server, store } = await written();
    forge(server, change);
    const event = {
      name: "BrokenLogError",
      message: expect.stringMatching(/run run-001 is damaged at commit/),
    };
    await expect(at(server).read("run-001")).rejects.toMatchObject(event);
    await expect(store.read("run-001")).rejects.toMatchObject(event);
    await expect(at(server).append("run-001", 3, ["d"])).rejects.toMatchObject(event);
  });
  test("a ref moved back, or deleted, under who knew it", async () => {
    const { server, store } = await written();
    server.git("update-ref", ref, `${ref}~1`);
    await expect(store.read("run-001")).rejects.toMatchObject({ name: "BrokenLogError" });
    server.git("update-ref", "-d", ref);
    await expect(store.read("run-001")).rejects.toThrow(
      new RegExp(
        `${ref} of .* was deleted. To put it where this machine knows it: git -C .* push .*:${ref}; then .*resume`,
      ),
    );
  });
  test("a commit that is none of ours", async () => {
    const server = await host();
    const tree = server.git("mktree", "--missing");
    server.git(
      "update-ref",
      ref,
      server.git("-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", tree, "-m", "x"),
    );
    await expect(at(server).read("run-001")).rejects.toMatchObject({ name: "BrokenLogError" });
  });
});
