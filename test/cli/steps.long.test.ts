import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunEvent, RunEventBody } from "../../src/engine/run-events.ts";
import { type Ended, openFolder } from "../parts/terminal.ts";

const example = readFileSync("test/dialects/steps/seeds/loop-bidirectional.yml", "utf8");
const worked = (stage: number, to = "coordinator") => `
  - node: worker
    iteration: ${stage}
    say: STAGE_${stage}_DONE
    send: [{ to: ${to}, text: "STAGE_${stage}: the task" }]`;
const replies = `replies:
  - { node: setup, say: READY }${worked(1)}${worked(2)}${worked(3)}
  # The first verdict waits until somebody has written.
  - { role: judge, iteration: 1, run: "until test -e said; do sleep 0.1; done", say: two more stages, result: { done: false } }
  - { role: judge, iteration: 2, result: { done: false } }
  - { role: judge, iteration: 3, result: { done: true } }
`;

const of = <T extends RunEventBody["type"]>({ events }: Pick<Ended, "events">, type: T) =>
  events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

test("the worked example of messages in a loop runs as documented, step by step", async () => {
  const folder = openFolder();
  folder.write({ ".github/loops/stages.yml": example, "replies.yml": replies });
  expect((await folder.run("check", ".github/loops/stages.yml")).code).toBe(0);
  const args = ["--agent", "scripted:replies.yml", "--run-id", "stages-run", "--json"];
  const run = folder.start("run", "stages", ...args);
  // The people are the coordinator: they see the message and forward something to the next stage.
  await new Promise<void>((seen) => {
    run.process.stdout?.on("data", (text: string) => text.includes('"role":"judge"') && seen());
  });
  expect((await folder.run("tell", "stages-run", "worker", "mind", "the", "gap")).code).toBe(0);
  expect((await folder.run("tell", "stages-run", "loop-stages.2.worker", "almost", "there")).code).toBe(0);
  expect((await folder.run("tell", "stages-run", "loop-stages", "whoever")).code).toBe(2);
  folder.write({ said: "" });
  const ended = await run.ended;
  expect(ended.code, ended.stderr).toBe(0);
  expect(of(ended, "run.ended")).toMatchObject([
    { conclusion: "success", stop_reason: "judge", iterations: 3 },
  ]);
  expect(of(ended, "node.started").map(({ label }) => label)).toEqual([
    "setup",
    "loop-stages",
    "loop-stages.0.worker",
    "loop-stages.1.worker",
    "loop-stages.2.worker",
  ]);
  const stages = of(ended, "message.sent").filter(({ to }) => to === "coordinator");
  expect(stages.map(({ from, text }) => `${from} ${text}`)).toEqual([
    "loop-stages.0.worker STAGE_1: the task",
    "loop-stages.1.worker STAGE_2: the task",
    "loop-stages.2.worker STAGE_3: the task",
  ]);
  expect(of(ended, "message.delivered").map(({ to, text }) => `${to} ${text}`)).toEqual([
    "loop-stages.1.worker mind the gap",
    "loop-stages.2.worker almost there",
  ]);
  const [, , second] = of(ended, "agent.asked").filter(({ role }) => role === "worker");
  expect(second?.prompt).toMatch(/STAGE_1_DONE[\s\S]*two more stages[\s\S]*mind the gap/);
  const report = await folder.run("report", "stages-run");
  expect(report.stdout).toContain("loop-stages.0.worker to coordinator: STAGE\\_1: the task");
});

test("instructions and prompts may be files next to the workflow in the checkout, and no others", async () => {
  const folder = openFolder();
  const file = (path: string) =>
    `name: files\nagents: { a: { description: d, prompt: "@you.md" } }\nsteps: [{ id: one, agent: a, instructions: "@${path}" }]\n`;
  folder.write({
    "loops/w.yml": file("first.md"),
    "loops/out.yml": file("../../../../../etc/hostname"),
    "loops/first.md": "@second.md",
    "loops/second.md": "do it well",
    "loops/you.md": "be brief",
  });
  const ended = await folder.run("run", "loops/w.yml", "--agent", "command:cat", "--json");
  expect(of(ended, "agent.asked")[0]?.prompt).toBe("do it well");
  const refused = await folder.run("check", "loops/out.yml", "--json");
  expect(refused.code).toBe(2);
  expect(of(refused, "notice")).toMatchObject([{ code: "BAD_VALUE", line: 3 }]);
});
