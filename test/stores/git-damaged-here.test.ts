import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

test.each(damages)(
  "a run goes on where this machine's copy of its record is damaged: %s",
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
