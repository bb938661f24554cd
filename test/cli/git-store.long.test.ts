import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nothingLost } from "../../src/ports/disk-fault.ts";
import { openClone, openHost } from "../parts/clones.ts";
import { type Folder, loopFile } from "../parts/terminal.ts";

const rounds = 4;
/** Behind the walls, the agent could not count its calls outside the checkout. */
const open = "isolation: 'off'\n";
const straight = loopFile(
  `
  prompt: "round $LOOP_ITERATION"
  until_bash: test "$LOOP_ITERATION" -ge ${rounds} && test -f round-$LOOP_ITERATION
  max_iterations: 9
`,
  open,
);
const gated = loopFile(
  "prompt: '[$LOOP_USER_INPUT]'\nuntil: DONE\nmax_iterations: 9\ninteractive: true\ngate_message: look",
  `interactive: true\n${open}`,
);
// Each call leaves a line outside the checkout, so that calls can be counted whatever the log says.
const agent =
  'command:read -r prompt; echo "$UNTIL_GREEN_ITERATION" >> "$HOME/calls"; touch "round-$UNTIL_GREEN_ITERATION"; echo "did $prompt"';
const how = ["--store", "git", "--json"];

test("a run killed again and again, on one machine and then on the next, ends as the straight one", async () => {
  const server = await openHost({ "w.yml": straight });
  const clones = await Promise.all([openClone(server), openClone(server)]);
  const args = ["run", "w.yml", "--agent", agent, "--run-id", "far-killed-run", ...how];
  let again = 0;
  let kills = 0;
  let output = "";
  for (let round = 0; round < 12; round += 1) {
    const folder = clones[Math.floor(round / 2) % 2] as Folder;
    const isStarted = round > 0 && server.git("for-each-ref", "refs/until-green") !== "";
    const next = folder.start(...(isStarted ? ["resume", "far-killed-run", ...how] : args));
    let seen = 0;
    next.process.stdout?.on("data", (text: string) => {
      seen += text.split("\n").length - 1;
      if (round < 6 && seen >= 2 + ((round * 3) % 8)) next.process.kill("SIGKILL");
    });
    const { code, events, stderr } = await next.ended;
    output += `${code} ${stderr}\n`;
    again += events.filter((event) => event.type === "notice" && event.code === "BEGUN_AGAIN").length;
    if (code !== null) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(2);
  const fresh = await openClone(server);
  const { events } = await fresh.run("status", "far-killed-run", ...how);
  expect(events.at(-1), output).toMatchObject({
    conclusion: "success",
    stop_reason: "until-bash",
    iterations: rounds,
  });
  const calls = clones.flatMap(({ path }) => callsOf(path));
  expect([...new Set(calls)].toSorted()).toEqual(["1", "2", "3", "4"]);
  expect(again).toBeLessThanOrEqual(kills);
  expect(server.git("fsck", "--strict")).toBe("");
});

test("of approvals in three clones at once exactly one continues, the others report which", async () => {
  const server = await openHost({ "w.yml": gated });
  const clones = await Promise.all([openClone(server), openClone(server), openClone(server)]);
  const [first] = clones;
  const started = await first?.run(
    "run",
    "w.yml",
    "--agent",
    agent,
    "--run-id",
    "far-raced-run",
    ...how,
    ...open,
  );
  expect(started?.code).toBe(3);
  const ends = await Promise.all(
    clones.map((clone, at) => clone.run("approve", "far-raced-run", `by ${at}`, ...how)),
  );
  expect(ends.map(({ code }) => code).toSorted()).toEqual([3, 5, 5]);
  for (const { code, stderr } of ends) if (code === 5) expect(stderr).toMatch(/already decided by/);
  expect(clones.flatMap(({ path }) => callsOf(path)).toSorted()).toEqual(["1", "2"]);
});

test("a run cancelled from another machine stops where it is driven", async () => {
  const server = await openHost({ "w.yml": straight });
  const [one, two] = await Promise.all([openClone(server), openClone(server)]);
  const driving = one.start(
    "run",
    "w.yml",
    "--agent",
    "command:sleep 40",
    "--run-id",
    "far-run",
    ...how,
    ...open,
  );
  await until(() => server.git("show", "refs/until-green/far-run/state:events").includes("run.started"));
  expect((await two.run("cancel", "far-run", "enough", ...how)).code).toBe(4);
  const { code, events } = await driving.ended;
  expect(code).toBe(4);
  expect(events.filter(({ type }) => type === "run.ended")).toHaveLength(1);
});

test("a run that another machine takes over is lost to the first, which records and says nothing more", async () => {
  const server = await openHost({ "w.yml": straight, ".gitignore": "replies.yml\n" });
  const [one, two] = await Promise.all([openClone(server), openClone(server)]);
  // Both machines share our kernel, and a resume ends processes of its run: the agents are none.
  one.write({ "replies.yml": "otherwise: { say: late, wait_ms: 40000 }\n" });
  const files = Array.from({ length: rounds }, (_, index) => `round-${index + 1}: x`).join(", ");
  two.write({ "replies.yml": `otherwise: { say: quick, write: { ${files} } }\n` });
  const args = ["run", "w.yml", "--agent", "scripted:replies.yml", "--run-id", "taken-run", ...how];
  const zombie = one.start(...args);
  await until(() => server.git("show", "refs/until-green/taken-run/state:events").includes("run.started"));
  const taken = await two.run("resume", "taken-run", ...how);
  expect(taken.stderr + taken.code).toMatch(/0$/);
  const { code, events } = await zombie.ended;
  expect(code).toBe(5);
  expect(events.filter(({ type }) => type === "run.ended")).toEqual([]);
});

test("SIGTERM pushes what there is", async () => {
  const server = await openHost({ "w.yml": straight });
  const [one, two] = await Promise.all([openClone(server), openClone(server)]);
  const slow = `${agent}; test "$UNTIL_GREEN_ITERATION" = 1 || test -f "$HOME/quick" || sleep 40`;
  const driving = one.start("run", "w.yml", "--agent", slow, "--run-id", "far-stopped-run", ...how);
  await until(() => callsOf(one.path).includes("2"));
  driving.process.kill("SIGTERM");
  expect((await driving.ended).code).toBe(3);
  appendFileSync(join(two.path, "..", "quick"), "");
  const resumed = await two.run("resume", "far-stopped-run", ...how);
  expect(resumed.code).toBe(0);
  expect(callsOf(two.path)).toEqual(["2", "3", "4"]);
});

test("what a machine records while another one takes the run over is there before that one works", async () => {
  const server = await openHost({ "w.yml": straight });
  const [one, two] = await Promise.all([openClone(server), openClone(server)]);
  const slow = `${agent}; test "$UNTIL_GREEN_ITERATION" = 1 || test -f "$HOME/quick" || sleep 40`;
  const before = one.start("run", "w.yml", "--agent", slow, "--run-id", "far-left-run", ...how);
  await until(() => callsOf(one.path).includes("2"));
  // The first iteration is not pushed yet, and the claim of the other machine arrives after it.
  server.fault = ({ kind }) => (kind === "push" && server.fired.length === 0 ? { slowMs: 4_000 } : undefined);
  appendFileSync(join(two.path, "..", "quick"), "");
  const after = two.start("resume", "far-left-run", ...how);
  await until(() => server.fired.length > 0);
  before.process.kill("SIGTERM");
  const left = await before.ended;
  const { code, stderr } = await after.ended;
  expect(code, stderr).toBe(0);
  // On a busy machine its last push may come after the claim, or not at all.
  if (left.code === 3) expect(callsOf(two.path)).toEqual(["2", "3", "4"]);
  expect(existsSync(join(two.path, "round-1"))).toBe(true);
});

const callsOf = (path: string): readonly string[] => {
  try {
    return readFileSync(join(path, "..", "calls"), "utf8")
      .trim()
      .split("\n");
  } catch {
    return [];
  }
};

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    try {
      if (holds()) return;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it never came");
}

test("a run asked to stop ends although its host hangs; what it recorded is on its machine", async () => {
  const server = await openHost({ "w.yml": straight });
  const clone = await openClone(server);
  const waiting = "command:touch began; sleep 60";
  const driving = clone.start("run", "w.yml", "--agent", waiting, "--run-id", "hung-run", ...how);
  await until(() => existsSync(join(clone.path, "began")));
  server.fault = () => "hang";
  driving.process.kill("SIGTERM");
  const { code, stderr } = await driving.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(nothingLost);
  server.fault = undefined;
  const { events } = await clone.run("status", "hung-run", ...how);
  expect(events.at(-1)?.type).toBe("run.paused");
});

test("a gate whose pause was not pushed before a kill is decided on its machine, as its status shows it", async () => {
  const server = await openHost({ "w.yml": gated });
  const [here, elsewhere] = await Promise.all([openClone(server), openClone(server)]);
  const pushes = server.seen.filter(({ kind }) => kind === "push").length;
  // The claim is taken; what follows is not.
  server.fault = ({ kind }) =>
    kind === "push" && server.seen.filter((one) => one.kind === "push").length > pushes + 1
      ? "hang"
      : undefined;
  const driving = here.start("run", "w.yml", "--agent", agent, "--run-id", "far-cut-run", ...how);
  const isPaused = async () => {
    const { events } = await here.run("status", "far-cut-run", ...how);
    return events.at(-1)?.type === "run.paused";
  };
  await expect.poll(isPaused, { timeout: 60_000, interval: 200 }).toBe(true);
  driving.process.kill("SIGKILL");
  await driving.ended;
  server.fault = undefined;
  expect((await elsewhere.run("approve", "far-cut-run", ...how)).code).toBe(2);
  const { code, stderr } = await here.run("approve", "far-cut-run", "go on", ...how);
  expect(code, stderr).toBe(3);
  expect(callsOf(here.path)).toEqual(["1", "2"]);
});

test("an answer to a run whose record was deleted at the host decides no other run", async () => {
  const file = "name: t\ninteractive: true\nnodes:\n  - { id: a, approval: { message: one } }\n";
  const server = await openHost({ "w.yml": file });
  const first = await openClone(server);
  for (const id of ["gr-run", "other-run"]) await first.run("run", "w.yml", "--run-id", id, ...how);
  server.git("update-ref", "-d", "refs/until-green/gr-run/state");
  const fresh = await openClone(server);
  for (const answer of ["approve", "reject", "cancel"])
    expect(await fresh.run(answer, "gr-run", "hello", "--store", "git")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`until-green ${answer} other-run --store git\n`),
    });
  expect((await fresh.run("approve", "other-run", "hello", "--store", "git")).code).toBe(0);
});
