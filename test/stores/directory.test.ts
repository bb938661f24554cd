import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import { withDiskErrors } from "../../src/ports/disk-fault.ts";
import { directoryStore } from "../../src/stores/directory.ts";
import { keepsTheLogStoreContract } from "./log-store.contract.ts";

const top = mkdtempSync(join(tmpdir(), "directory-store-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const folder = () => mkdtempSync(join(top, "root-"));
const fixture = join(import.meta.dirname, "../fixtures/store-process.ts");
const other = (root: string, what: string, count = 0) =>
  spawn(process.execPath, [fixture, `dir:${root}`, "run-001", what, String(count)], {
    stdio: ["pipe", "pipe", "inherit"],
  });

keepsTheLogStoreContract("the directory store", () => directoryStore(folder()));

describe("what a directory store wrote", () => {
  test("is found by another, with both continuing in turns", async () => {
    const root = folder();
    const [one, two] = [directoryStore(root), directoryStore(root)];
    await one.append("run-001", 0, ["a"]);
    await two.append("run-001", 1, ["b"]);
    await expect(one.append("run-001", 1, ["c"])).rejects.toMatchObject({ name: "StaleLogError" });
    await one.append("run-001", 2, ["c"]);
    expect(await two.read("run-001", 1)).toEqual(["b", "c"]);
    expect(existsSync(join(root, "run-001", "log.lock"))).toBe(false);
  });
  test("survives a cut at every byte of the last append: all of it or nothing, and the run continues", async () => {
    const root = folder();
    await directoryStore(root).append("run-001", 0, ["old"]);
    const path = join(root, "run-001", "log.jsonl");
    const old = statSync(path).size;
    await directoryStore(root).append("run-001", 1, ["new 1", "new 2"]);
    const whole = readFileSync(path);
    for (let cut = old; cut < whole.length; cut += 1) {
      writeFileSync(path, whole.subarray(0, cut));
      const store = directoryStore(root);
      expect(await store.read("run-001"), `cut at ${cut}`).toEqual(["old"]);
      await store.append("run-001", 1, ["next"]);
      expect(await directoryStore(root).read("run-001"), `cut at ${cut}`).toEqual(["old", "next"]);
    }
  });
  test("is refused when a byte changed, by readers and writers, with the run, the line and what to do", async () => {
    const root = folder();
    const store = directoryStore(root);
    await store.append("run-001", 0, ["aa", "bb", "cc"]);
    const path = join(root, "run-001", "log.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("bb", "bX"));
    const event = {
      name: "BrokenLogError",
      message: expect.stringMatching(/run-001 is damaged at line 2 of .*delete/),
    };
    await expect(store.read("run-001")).rejects.toMatchObject(event);
    await expect(directoryStore(root).read("run-001", 3)).rejects.toMatchObject(event);
    await expect(directoryStore(root).append("run-001", 3, ["dd"])).rejects.toMatchObject(event);
  });
  test("may be undone by its writer or replaced: a reader reads again", async () => {
    const root = folder();
    const reader = directoryStore(root);
    await directoryStore(root).append("run-001", 0, ["a", "b"]);
    expect(await reader.read("run-001")).toEqual(["a", "b"]);
    rmSync(join(root, "run-001"), { recursive: true });
    expect(await reader.read("run-001")).toEqual([]);
    await directoryStore(root).append("run-001", 0, ["other"]);
    await directoryStore(root).append("run-001", 1, ["others"]);
    expect(await reader.read("run-001", 1)).toEqual(["others"]);
  });
});

describe("of several processes", () => {
  test("all append without losing or mixing a line", async () => {
    const root = folder();
    const racers = [1, 2, 3, 4].map(() => other(root, "race", 100));
    await Promise.all(racers.map((racer) => once(racer.stdout, "data")));
    for (const racer of racers) racer.stdin.end();
    await Promise.all(racers.map((racer) => once(racer, "exit")));
    const lines = await directoryStore(root).read("run-001");
    expect(lines).toHaveLength(400);
    for (const { pid } of racers) {
      const mine = lines.filter((line) => line.startsWith(`${pid} `));
      expect(mine).toEqual(Array.from({ length: 100 }, (_, at) => `${pid} ${at}`));
    }
  });
  const killed = "one killed at any moment leaves whole appends, and none that it had acknowledged is lost";
  // It starts twenty processes, which take a minute on a busy machine.
  test(killed, { timeout: 120_000 }, async () => {
    const root = folder();
    let before = 0;
    for (let round = 0; round < 20; round += 1) {
      const child = other(root, "loop");
      let acknowledged = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line);
        if (acknowledged >= before + 3 * (1 + (round % 7))) child.kill("SIGKILL");
      }
      const lines = await directoryStore(root).read("run-001");
      expect(lines.length).toBeGreaterThanOrEqual(acknowledged);
      expect(lines.length % 3).toBe(0);
      expect(lines.every((line, at) => line.startsWith(`${at} x`))).toBe(true);
      before = lines.length;
    }
    await directoryStore(root).append("run-001", before, ["end"]);
  });
  test("one that holds a run is named to the others, and dead it is followed by exactly one of them", async () => {
    const root = folder();
    const child = other(root, "hold");
    await once(child.stdout, "data");
    const held = {
      name: "RunLockedError",
      message: expect.stringMatching(`process ${child.pid} on .*delete .*owner`),
    };
    await expect(directoryStore(root).hold("run-001")).rejects.toMatchObject(held);
    child.kill("SIGKILL");
    await once(child, "exit");
    const heirs = await Promise.allSettled([1, 2, 3, 4, 5].map(() => directoryStore(root).hold("run-001")));
    expect(heirs.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
  test("one that was killed with the lock of a log does not keep the others from it", async () => {
    const root = folder();
    const child = other(root, "lock");
    await once(child.stdout, "data");
    const store = directoryStore(root);
    const waiting = store.append("run-001", 0, ["after"]);
    expect(await store.read("run-001")).toEqual([]);
    child.kill("SIGKILL");
    await waiting;
    expect(await store.read("run-001")).toEqual(["after"]);
  });
});

describe("a damaged log", () => {
  const damaged = async () => {
    const root = folder();
    const store = directoryStore(root);
    await store.append("run-001", 0, ["aa"]);
    await store.append("run-001", 1, ["bb", "cc"]);
    await store.append("run-001", 3, ["dd"]);
    const path = join(root, "run-001", "log.jsonl");
    return { root, path, whole: readFileSync(path, "utf8") };
  };
  test.each([
    ["aa", 0],
    ["bb", 1],
    ["cc", 1],
    ["dd", 3],
  ])(
    "with another byte in %s is cut to %i lines; the damaged file is kept next to it",
    async (line, left) => {
      const { root, path, whole } = await damaged();
      const broken = whole.replace(line, "xx");
      writeFileSync(path, broken);
      const store = directoryStore(root);
      const repaired = await store.repair?.("run-001");
      expect(repaired?.lines).toBe(left);
      expect(readFileSync(repaired?.kept ?? "", "utf8")).toBe(broken);
      expect(await store.read("run-001")).toEqual(["aa", "bb", "cc", "dd"].slice(0, left));
      await store.append("run-001", left, ["next"]);
      expect((await directoryStore(root).read("run-001")).at(-1)).toBe("next");
    },
  );
  test("that is whole, or torn by a kill only, is left as it is", async () => {
    const { root, path, whole } = await damaged();
    expect(await directoryStore(root).repair?.("run-001")).toBeUndefined();
    writeFileSync(path, whole.slice(0, -3));
    expect(await directoryStore(root).repair?.("run-001")).toBeUndefined();
    expect(readdirSync(join(root, "run-001"))).toEqual(["log.jsonl"]);
  });
});

describe("runs to be pruned", () => {
  const end = (at: string) => JSON.stringify({ type: "run.ended", at });
  test("are those that ended before, and the oldest ended ones over the most there may be", async () => {
    const root = folder();
    const store = directoryStore(root);
    await store.append("old-run", 0, ["{}", end("2026-01-01T00:00:00.000Z")]);
    await store.append("open-run", 0, ["{}"]);
    await store.append("held-run", 0, ["{}", end("2026-01-01T00:00:00.000Z")]);
    await store.hold("held-run");
    await store.append("new-run", 0, ["{}", end("2026-03-01T00:00:00.000Z")]);
    expect(await store.prune?.({ endedBefore: "2026-02-01T00:00:00.000Z", most: 10 })).toEqual(["old-run"]);
    expect((await store.list()).toSorted()).toEqual(["held-run", "new-run", "open-run"]);
    expect(await store.prune?.({ endedBefore: "", most: 0 })).toEqual(["new-run"]);
    expect(existsSync(join(root, "new-run"))).toBe(false);
  });
});

describe("a disk that refuses", () => {
  test.each([
    ["ENOSPC", 28, /no space is left for .* not lost; free some space, then resume/],
    ["UNKNOWN", 122, /no space is left for .*EDQUOT.* not lost; free some space/],
    ["EIO", 5, /the disk failed at .*not lost; check the disk, then resume/],
    ["ESTALE", 116, /the disk failed at .*not lost; check the disk, then resume/],
    ["ELOOP", 40, /loop of symbolic links .* remove it, or put the file back from a copy$/],
    ["EMFILE", 24, /too many files are open .*not lost; .*ulimit -n/],
    ["EROFS", 30, /read-only now .*not lost; start a new run .* make it writable, then resume the run$/],
  ])("with %s (%i): the sentence names the path, and says what to do", async (code, errno, sentence) => {
    const refused = Object.assign(new Error("raw"), { code, errno: -errno, path: "/disk/log.jsonl" });
    const message = await withDiskErrors("/disk", () => Promise.reject(refused)).catch(
      (error) => error.message,
    );
    expect(message).toMatch(sentence);
    expect(message).toContain("/disk");
  });
  test("an answer that would not fit is not asked for", () => {
    const lines = outputOf(`trap '' XFSZ; ulimit -f 256; exec "$0" "$@"`, folder(), ["probe"]);
    expect(lines[0]).toMatch(/no space is left for .* not lost/);
    expect(lines[1]).toBe("[]");
  });

  const outputOf = (script: string, root: string, deed: readonly string[]) =>
    execFileSync("bash", ["-c", script, process.execPath, fixture, `dir:${root}`, "run-001", ...deed], {
      encoding: "utf8",
    })
      .trimEnd()
      .split("\n");

  test("a file that may not grow: the append is undone, the error has a remedy, the run continues", () => {
    const root = folder();
    const lines = outputOf(`trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`, root, ["fill", "30000"]);
    expect(lines[0]).toMatch(
      /no space is left for .*run-001\/log\.jsonl .*not lost; free some space, then resume/,
    );
    expect(lines.slice(1)).toEqual(["undone", '["first","second"]']);
  });
  const tmpfs = folder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", tmpfs]).status === 0;
  afterAll(() => mounted && spawnSync("umount", [tmpfs]));
  test.skipIf(!mounted)("a full disk: the same", () => {
    const lines = outputOf(`exec "$0" "$@"`, join(tmpfs, "small"), ["fill", "2000000"]);
    expect(lines[0]).toMatch(/no space is left for .*ENOSPC/);
    expect(lines.slice(1)).toEqual(["undone", '["first","second"]']);
  });
  test.skipIf(!mounted)("an answer paid for on a disk that filled up meanwhile is on record", () => {
    expect(outputOf(`exec "$0" "$@"`, join(tmpfs, "filled"), ["reserve", "200000"])).toEqual([
      "full",
      "2 lines",
      "[]",
    ]);
  });
  test("a folder of another user: each error names the path and a remedy", async () => {
    const root = folder();
    await directoryStore(root).append("run-001", 0, ["a"]);
    for (const path of [join(root, "run-001"), root]) chmodSync(path, 0o000);
    const lines = outputOf(`exec "$0" "$@"`, root, ["nobody"]);
    for (const path of [root, join(root, "run-001")]) chmodSync(path, 0o755);
    expect(lines).toHaveLength(4);
    for (const line of lines)
      expect(line).toMatch(/directory-store-.* cannot be read or written .*--store dir:PATH/);
  });
  test("a file in the place of the folder: the sentence names it", async () => {
    const root = join(folder(), "file");
    writeFileSync(root, "");
    await expect(directoryStore(root).append("run-001", 0, ["a"])).rejects.toThrow(/file.* is not a folder/);
    await expect(directoryStore(root).list()).rejects.toThrow("is not a folder");
  });
  test("a lock that is no lock of ours is left alone and named", async () => {
    const root = folder();
    mkdirSync(join(root, "run-001"), { recursive: true });
    writeFileSync(join(root, "run-001", "owner"), "?");
    await expect(directoryStore(root).hold("run-001")).rejects.toThrow(/delete .*owner/);
  });
});
