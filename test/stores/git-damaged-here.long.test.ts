import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMachines } from "../parts/git-machines.ts";

const { host, machine, at } = openMachines();

/** Damage to the private repository of a run, as a power cut does it. */
const damages: readonly (readonly [what: string, damage: (dir: string) => void])[] = [
  ["HEAD is not readable", (dir) => writeFileSync(join(dir, "HEAD"), "\0\0")],
  ["the settings are gone", (dir) => rmSync(join(dir, "config"))],
  ["the settings are not readable", (dir) => writeFileSync(join(dir, "config"), "[[[")],
  ["the folder for refs is gone", (dir) => rmSync(join(dir, "refs"), { recursive: true })],
  [
    "objects are empty",
    (dir) => {
      const objects = join(dir, "objects");
      for (const path of readdirSync(objects, { recursive: true, encoding: "utf8" }))
        if (/^\w\w\/\w{38}$/.test(path)) {
          chmodSync(join(objects, path), 0o600);
          writeFileSync(join(objects, path), "");
        }
    },
  ],
];

const isNow = (path: string, make: (path: string) => void) => {
  rmSync(path, { recursive: true, force: true });
  make(path);
};
const folder = (path: string) => isNow(path, () => mkdirSync(join(path, "x"), { recursive: true }));
const pipe = (path: string) => isNow(path, () => execFileSync("sh", ["-c", 'mkfifo "$0"', path]));
const file = (path: string) => isNow(path, () => writeFileSync(path, "damaged\n"));

/** What this machine keeps about a run, beside its record, with something else in its place. */
const replaced = [
  ["state.git", file],
  ["tip", folder],
  ["tip", pipe],
  ["tip", file],
  ["work-here", folder],
  ["work-here", pipe],
  ["artifacts-of", folder],
  ["artifacts-of", pipe],
] as const;

test.each(replaced)("a run continues if something else is in the place of its %s", async (name, damage) => {
  const server = await host();
  const environment = machine(server);
  await at(server, { environment }).append("run-001", 0, ["a"]);
  const root = environment.RUNNER_TEMP ?? "";
  const [tip = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("/run-001/tip"),
  );
  damage(join(root, tip, "..", name));
  const store = at(server, { environment });
  expect(await store.read("run-001")).toEqual(["a"]);
  await store.artifacts("run-001");
  await store.append("run-001", 1, ["b"]);
  expect(await at(server).read("run-001")).toEqual(["a", "b"]);
});

test.each(damages)(
  "a run continues if this machine's copy of its record is damaged: %s",
  async (_, damage) => {
    const server = await host();
    const environment = machine(server);
    await at(server, { environment }).append("run-001", 0, ["a"]);
    const root = environment.RUNNER_TEMP ?? "";
    const [dir] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("/run-001/state.git"),
    );
    damage(join(root, dir ?? "none"));
    const store = at(server, { environment, patienceMs: 5_000 });
    expect(await store.read("run-001")).toEqual(["a"]);
    await store.append("run-001", 1, ["b"]);
    expect(await at(server).read("run-001")).toEqual(["a", "b"]);
  },
);

test("damaged records that were never pushed are named with the file to move away", async () => {
  const server = await host();
  const environment = machine(server);
  await at(server, { environment }).append("run-001", 0, ["a"]);
  const root = environment.RUNNER_TEMP ?? "";
  const [tip = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("/run-001/tip"),
  );
  const pending = join(root, tip, "..", `pending-${"1".repeat(40)}.jsonl`);
  writeFileSync(pending, "damaged\n");
  const says = new RegExp(
    `never pushed.* damaged at line 1 of ${pending}: move this file away; what it held is repeated by: until-green resume run-001$`,
  );
  const store = at(server, { environment });
  await expect(store.preview?.("run-001")).rejects.toThrow(says);
  await expect(store.hold("run-001")).rejects.toThrow(says);
  renameSync(pending, join(root, "away"));
  const release = await store.hold("run-001");
  await store.append("run-001", 1, ["b"]);
  await release();
  expect(await at(server).read("run-001")).toEqual(["a", "b"]);
});
