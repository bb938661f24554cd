import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openClone, openHost } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";

// Three machines in a row, each with a process and git behind it.
vi.setConfig({ testTimeout: 180_000 });

const file = loopFile(
  `prompt: "[$LOOP_USER_INPUT]"
until: DONE
max_iterations: 9
interactive: true
gate_message: look
protect: [kept.txt]`,
  "interactive: true\n",
);
const agent =
  'command:read -r prompt; echo changed > kept.txt; case "$prompt" in *end*) echo DONE;; *) echo did;; esac';
const how = ["--store", "git", "--json"];

test("in a fresh clone protected files are restored as they were when the loop began elsewhere", async () => {
  const server = await openHost({ "w.yml": file, "kept.txt": "kept\n" });
  const [one, two, three] = await Promise.all([openClone(server), openClone(server), openClone(server)]);
  const args = ["w.yml", "--agent", agent, "--run-id", "far-protected", ...how];
  expect(await one.run("run", ...args)).toMatchObject({ code: 3 });
  expect(await two.run("approve", "far-protected", "more", ...how)).toMatchObject({ code: 3 });
  const last = await three.run("approve", "far-protected", "end", ...how);
  expect(last.code, last.stderr).toBe(0);
  expect(readFileSync(join(three.path, "kept.txt"), "utf8")).toBe("kept\n");
});
