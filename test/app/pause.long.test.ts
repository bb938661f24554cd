import { expect, test, vi } from "vitest";
import { openAppRepository, tipOf } from "../parts/app-repository.ts";
import { openClone } from "../parts/clones.ts";
import { loopFile } from "../parts/terminal.ts";

const id = "paused-run-0a1b2c3d";
const agent = "command:read -r _; if [ -e .git/resumed ]; then echo DONE; else sleep 0.5; echo did; fi";
const how = ["--store", "git", "--json"];

test("a comment pauses a run while its agent works; the iteration is finished, and a resume continues after it", async () => {
  const file = loopFile("prompt: work\nuntil: DONE\nmax_iterations: 200");
  const { github, say, marks } = await openAppRepository({ "w.yml": file });
  const clone = await openClone(github.git);
  const running = clone.run("run", "w.yml", "--agent", agent, "--run-id", id, ...how);
  const hasBegun = () => expect(tipOf(github, id).state.status.summary).toMatchObject({ state: "running" });
  await vi.waitFor(hasBegun, { timeout: 60_000, interval: 200 });
  const comment = await say("ada", `/workflow pause ${id} for lunch`);
  expect(marks(comment)).toEqual(["eyes", "+1"]);
  const paused = await running;
  expect(paused.code).toBe(3);
  const of = (type: string) => paused.events.filter((event) => event["type"] === type);
  const paths = (type: string) => [...new Set(of(type).map((event) => ("path" in event ? event.path : "")))];
  expect(paths("agent.asked")).toEqual(paths("iteration.ended"));
  expect(of("notice")).toMatchObject([
    { code: "PAUSE_REQUESTED", message: "ada asked for this pause: for lunch" },
  ]);
  expect(of("run.paused")).toMatchObject([{ stop_reason: "requested" }]);
  expect(tipOf(github, id).state.status.summary).toMatchObject({ state: "paused", stopReason: "requested" });

  await say("ada", `/workflow resume ${id}`);
  expect(github.dispatches).toMatchObject([{ inputs: { "run-id": id } }]);
  clone.write({ ".git/resumed": "" });
  const resumed = await clone.run("resume", id, ...how);
  expect(resumed.code).toBe(0);
  expect(resumed.events.filter(({ type }) => type === "agent.asked")).toHaveLength(1);
});
