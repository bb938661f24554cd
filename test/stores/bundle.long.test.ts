import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundleStore } from "../../src/stores/bundle.ts";
import { keepsTheLogStoreContract } from "./log-store.contract.ts";

const top = mkdtempSync(join(tmpdir(), "bundle-store-"));
afterAll(() => rmSync(top, { recursive: true, force: true, maxRetries: 3 }));

/** A machine of its own, which may be given a file. */
const at = (file: string) =>
  bundleStore({
    file,
    cwd: top,
    environment: { PATH: process.env["PATH"], RUNNER_TEMP: mkdtempSync(join(top, "machine-")) },
  });
let count = 0;
const fresh = () => join(top, `runs-${++count}.bundle`);

keepsTheLogStoreContract("the bundle store", () => at(fresh()), { rounds: 6 });

test("what one machine kept, another reads from the file alone, and adds to it", async () => {
  const file = fresh();
  const store = at(file);
  const release = await store.hold("run-001");
  writeFileSync(join(await store.artifacts("run-001"), "note.txt"), "kept");
  store.describe?.("run-001", { after: 2 });
  await store.append("run-001", 0, ["a", "b"]);
  await release();
  await store.append("run-002", 0, ["x"]);
  expect(execFileSync("git", ["bundle", "list-heads", file], { encoding: "utf8" }).match(/refs\S+/g)).toEqual(
    ["refs/until-green/run-001/state", "refs/until-green/run-002/state"],
  );
  const there = at(file);
  expect(await there.read("run-001")).toEqual(["a", "b"]);
  expect(await there.status?.("run-001")).toEqual({ after: 2 });
  expect(await there.list()).toEqual(["run-002", "run-001"]);
  await there.append("run-001", 2, ["c"]);
  expect(await at(file).read("run-001")).toEqual(["a", "b", "c"]);
});

test("a folder in the place of the file is refused before anything is kept", async () => {
  await expect(at(top).append("run-001", 0, ["a"])).rejects.toThrow(/bundle:.* it is no git bundle/);
});

test("a file that is no bundle is refused and not changed", async () => {
  const file = fresh();
  writeFileSync(file, "something else");
  await expect(at(file).read("run-001")).rejects.toThrow(/bundle:.* cannot be read: it is no git bundle/);
});
