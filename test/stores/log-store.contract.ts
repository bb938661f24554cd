import { readFileSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogStore } from "../../src/ports/store.ts";

/**
 * What every log store must do. A new store's test is one call of this; `open` gives an empty store each time. A store
 * far away may race for fewer rounds.
 */
export function keepsTheLogStoreContract(name: string, open: Open, { rounds = 50 } = {}) {
  describe(`${name} keeps the contract of a log store`, () => {
    keepsLines(open);
    letsOneWriterWin(open, rounds);
    lendsRuns(open);
    refusesBadIds(open);
  });
}

type Open = () => LogStore | Promise<LogStore>;

function keepsLines(open: Open) {
  test("a run never written has an empty log and is not listed", async () => {
    const store = await open();
    expect(await store.read("nobody")).toEqual([]);
    expect(await store.list()).toEqual([]);
  });
  test("lines come back in the order they were appended", async () => {
    const store = await open();
    await store.append("run-001", 0, ["1", "2"]);
    await store.append("run-001", 2, ["3"]);
    expect(await store.read("run-001")).toEqual(["1", "2", "3"]);
  });
  test("a reader that has some lines gets the remaining ones", async () => {
    const store = await open();
    await store.append("run-001", 0, ["1", "2", "3"]);
    expect(await store.read("run-001", 1)).toEqual(["2", "3"]);
    expect(await store.read("run-001", 3)).toEqual([]);
    expect(await store.read("run-001", 9)).toEqual([]);
    await store.append("run-001", 3, ["4"]);
    expect(await store.read("run-001", 3)).toEqual(["4"]);
    expect(await store.read("run-001", 0)).toEqual(["1", "2", "3", "4"]);
  });
  test("what is returned is the reader's own", async () => {
    const store = await open();
    await store.append("run-001", 0, ["1"]);
    ((await store.read("run-001")) as string[]).push("2");
    expect(await store.read("run-001")).toEqual(["1"]);
  });
  test("runs do not mix", async () => {
    const store = await open();
    await store.append("run-001", 0, ["a"]);
    await store.append("run-002", 0, ["b"]);
    expect([await store.read("run-001"), await store.read("run-002")]).toEqual([["a"], ["b"]]);
  });
  test.each([
    [
      "all that JSON escapes",
      JSON.stringify(String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))),
    ],
    ["unicode", JSON.stringify("é 漢 🟢 \u2028 \u202e \ufeff \ud800")],
    ["tabs, signs of ours, carriage returns", "{}\t12345678+\r"],
    ["nothing", ""],
    ["a megabyte", JSON.stringify("x🟢".repeat(200_000))],
  ])("a line of %s comes back as it was", async (_, line) => {
    const store = await open();
    await store.append("run-001", 0, [line, "{}"]);
    await store.append("run-001", 2, [line]);
    expect(await store.read("run-001")).toEqual([line, "{}", line]);
  });
  test("a line with a line break is refused", async () => {
    const store = await open();
    await expect(store.append("run-001", 0, ["a\nb"])).rejects.toThrow("line break");
    expect(await store.read("run-001")).toEqual([]);
  });
  test("runs are listed newest first", async () => {
    const store = await open();
    for (const id of ["run-001", "run-002", "run-003"]) await store.append(id, 0, ["{}"]);
    await store.append("run-001", 1, ["{}"]);
    expect(await store.list()).toEqual(["run-003", "run-002", "run-001"]);
  });
}

function letsOneWriterWin(open: Open, rounds: number) {
  test.each([0, 2])(
    "a writer that counts %i lines where there is one is refused and writes nothing",
    async (after) => {
      const store = await open();
      await store.append("run-001", 0, ["a"]);
      await expect(store.append("run-001", after, ["b"])).rejects.toMatchObject({ name: "StaleLogError" });
      expect(await store.read("run-001")).toEqual(["a"]);
    },
  );
  test("of writers at once exactly one wins, round after round", async () => {
    const store = await open();
    for (let round = 0; round < rounds; round += 1) {
      const writers = ["a", "b", "c"].map((one) => store.append("run-001", round * 2, [one, one]));
      const ends = await Promise.allSettled(writers);
      expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
      const [first, second, ...more] = await store.read("run-001", round * 2);
      expect(more).toEqual([]);
      expect(first).toBe(second);
      expect(ends["abc".indexOf(first ?? "?")]?.status).toBe("fulfilled");
    }
  });
  test("an append of nothing changes nothing", async () => {
    const store = await open();
    await store.append("run-001", 0, []);
    expect(await store.list()).toEqual([]);
    await expect(store.append("run-001", 1, [])).rejects.toMatchObject({ name: "StaleLogError" });
  });
}

function lendsRuns(open: Open) {
  test("a run is held by one at a time, until it is released", async () => {
    const store = await open();
    const release = await store.hold("run-001");
    await expect(store.hold("run-001")).rejects.toMatchObject({ name: "RunLockedError" });
    const other = await store.hold("run-002");
    await release();
    const again = await store.hold("run-001");
    await release(); // a second release does not touch what another holds now
    await expect(store.hold("run-001")).rejects.toMatchObject({ name: "RunLockedError" });
    await again();
    await other();
  });
  test("a held run can be read and appended to, and a held run without lines is not listed", async () => {
    const store = await open();
    const release = await store.hold("run-001");
    expect(await store.list()).toEqual([]);
    await store.append("run-001", 0, ["a"]);
    expect(await store.read("run-001")).toEqual(["a"]);
    await release();
  });
  test("a run has a folder for its artifacts", async () => {
    const store = await open();
    const folder = await store.artifacts("run-001");
    expect(isAbsolute(folder) && statSync(folder).isDirectory()).toBe(true);
    writeFileSync(join(folder, "note.txt"), "kept");
    expect(readFileSync(join(await store.artifacts("run-001"), "note.txt"), "utf8")).toBe("kept");
    expect(await store.artifacts("run-002")).not.toBe(folder);
    expect(await store.list()).toEqual([]);
  });
}

function refusesBadIds(open: Open) {
  test.each([
    "",
    "short",
    "-begins",
    "Upper-case",
    "under_score",
    "../../etc",
    "run-001/x",
    "run-001\n",
    "a".repeat(65),
  ])("%j is no run id", async (id) => {
    const store = await open();
    await expect(store.read(id)).rejects.toThrow("is not a run id");
    await expect(store.append(id, 0, ["{}"])).rejects.toThrow("is not a run id");
    await expect(store.hold(id)).rejects.toThrow("is not a run id");
    await expect(store.artifacts(id)).rejects.toThrow("is not a run id");
  });
}
