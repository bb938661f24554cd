import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loopFile, openFolder } from "../parts/terminal.ts";

const keys = "prompt: go\nmax_iterations: 3\non_max: succeed\nkeep: best\nmetric: cat n\ndirection: min";
const writing = (next: string) => `command:cat >/dev/null; n=$(cat n); echo $((${next})) > n; echo $n`;

async function ratchet(next: string, loop = keys) {
  const folder = openFolder();
  folder.write({ n: "5\n", "w.yml": loopFile(loop) });
  const { code, events } = await folder.run("run", "w.yml", "--json", "--agent", writing(next));
  const kept = events.flatMap((event) =>
    event.type === "notice" && event.code === "KEPT_BEST" ? [event.message] : [],
  );
  return { code, kept, end: events.at(-1), n: readFileSync(join(folder.path, "n"), "utf8").trim() };
}

test("work that is worse than the start by every measure is taken back, and there was nothing to do", async () => {
  expect(await ratchet("n == 5 ? 9 : n - 1")).toMatchObject({
    code: 0,
    kept: ["kept the start: no iteration was better by its metric (5)"],
    end: { conclusion: "skipped", stop_reason: "nothing-to-do" },
    n: "5",
  });
});

test("work that is only as good as the start is no gain", async () => {
  expect(await ratchet("n")).toMatchObject({ end: { stop_reason: "nothing-to-do" }, n: "5" });
});

test("work that is better than the start is kept", async () => {
  expect(await ratchet("n == 5 ? 3 : n + 1")).toMatchObject({
    kept: ["kept iteration 1, the best by its metric (3)"],
    end: { conclusion: "success", stop_reason: "iterations-done" },
    n: "3",
  });
});

test("a loop that fails leaves the start if nothing was better", async () => {
  const failing = keys.replace("on_max: succeed", "until: NEVER");
  expect(await ratchet("n + 1", failing)).toMatchObject({ code: 1, end: { conclusion: "failure" }, n: "5" });
});

test("an attempt without a gain is no reason to start no other, nor better than one with a gain", async () => {
  const attempts = `${keys.replace("max_iterations: 3", "max_iterations: 1")}\nattempts: 2`;
  const folder = openFolder();
  folder.write({ n: "5\n", "w.yml": loopFile(attempts) });
  const first = join(folder.path, ".git/first");
  const agent = `command:cat >/dev/null; if [ -e ${first} ]; then echo 3 > n; else touch ${first}; echo 9 > n; fi`;
  const { code } = await folder.run("run", "w.yml", "--json", "--agent", agent);
  expect(code).toBe(0);
  expect(readFileSync(join(folder.path, "n"), "utf8")).toBe("3\n");
});
