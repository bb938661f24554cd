import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openClone, openHost } from "../parts/clones.ts";
import { type Folder, folderAt, loopFile, openFolder } from "../parts/terminal.ts";

const workflow = loopFile(
  `
  prompt: "round $LOOP_ITERATION"
  until_bash: test "$LOOP_ITERATION" -ge 4
  max_iterations: 9
`,
  // Behind the walls, the agent could not count its calls outside the checkout.
  "isolation: 'off'\n",
);
// Each call leaves a line outside the checkout, and waits from the second on until it may go on.
const agent =
  'command:echo "$UNTIL_GREEN_ITERATION" >> "$HOME/calls"; test "$UNTIL_GREEN_ITERATION" = 1 || until test -e "$HOME/open"; do sleep 0.05; done; echo did';
const runId = "twice-resumed-run";

const callsAt = (home: string): readonly string[] => {
  const calls = join(home, "calls");
  return existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
};

/** Ends as a run does whose process was killed in its second iteration. */
async function killedIn(folder: Folder, home: string, ...how: readonly string[]): Promise<void> {
  const first = folder.start("run", "w.yml", "--agent", agent, "--run-id", runId, ...how);
  await expect.poll(() => callsAt(home), { timeout: 60_000 }).toContain("2");
  first.process.kill("SIGKILL");
  await first.ended;
}

/** Starts them all, and lets the agents end once all resumes but one have ended by themselves. */
async function allButOneEnd(folders: readonly Folder[], opens: readonly string[], ...how: readonly string[]) {
  const racing = folders.map((folder) => folder.start("resume", runId, ...how));
  const ended = new Set<number>();
  for (const [at, one] of racing.entries()) void one.ended.then(() => ended.add(at));
  await expect.poll(() => ended.size, { timeout: 60_000 }).toBe(folders.length - 1);
  const winner = racing.findIndex((_, at) => !ended.has(at));
  for (const home of opens) appendFileSync(join(home, "open"), "");
  const ends = await Promise.all(racing.map((one) => one.ended));
  const codes = ends.map(({ code }) => code);
  expect(codes, ends.map(({ stderr }) => stderr).join("\n")).toEqual(
    folders.map((_, at) => (at === winner ? 0 : 5)),
  );
  return { winner, pid: racing[winner]?.process.pid, lost: ends.filter((_, at) => at !== winner) };
}

test("of resumes at once on one machine exactly one continues; the others name the process that has the lock", async () => {
  const { path, write } = openFolder();
  write({ "w.yml": workflow, ".gitignore": "calls\nopen\n" });
  const folder = folderAt(path, { ...process.env, HOME: path });
  await killedIn(folder, path);
  const { pid, lost } = await allButOneEnd([folder, folder, folder], [path]);
  for (const { stderr } of lost) expect(stderr).toContain(`is driven by process ${pid} on `);
  expect(callsAt(path)).toEqual(["1", "2", "2", "3", "4"]);
});

test("of resumes at once in two clones exactly one continues; the other reports which", async () => {
  const server = await openHost({ "w.yml": workflow });
  const [here, there] = await Promise.all([openClone(server), openClone(server)]);
  const homes = [here, there].map(({ path }) => join(path, ".."));
  await killedIn(here, homes[0] as string, "--store", "git");
  const { winner, pid, lost } = await allButOneEnd([here, there], homes, "--store", "git");
  for (const { stderr } of lost) expect(stderr).toContain(`taken over by process ${pid} on `);
  expect(callsAt(homes[winner] as string).slice(-3)).toEqual(["2", "3", "4"]);
  const status = await (await openClone(server)).run("status", runId, "--store", "git", "--json");
  expect(status.events.at(-1)).toMatchObject({ conclusion: "success", iterations: 4 });
});
