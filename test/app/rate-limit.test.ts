import { expect, test } from "vitest";
import { openRateLimit } from "../../app/rate-limit.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

test("only so many calls are allowed in a period; refused calls do not count", () => {
  const passes = openRateLimit({ most: 2, withinMs: 100 });
  expect([0, 10, 20, 99].map((now) => passes("eve", now))).toEqual([true, true, false, false]);
  expect(passes("ada", 20)).toBe(true);
  expect([101, 105, 111].map((now) => passes("eve", now))).toEqual([true, false, true]);
});

test("commands of one person on one pull request beyond the limit are passed over, others are executed", async () => {
  const { github, say } = await openAppRepository(undefined, { mostCommands: 2 });
  seedRun(github, { run: "page-run-0a1b2c3d" });
  const answered = () =>
    github.journal.filter(({ method, path }) => method === "POST" && /\/comments$/.test(path)).length;
  const waits: number[] = [];
  for (const who of ["ada", "ada", "ada", "octocat"]) {
    const before = answered();
    await say(who, "/workflow help");
    waits.push(answered() - before);
  }
  const [one = 0, , third] = waits;
  expect(one).toBeGreaterThan(0);
  expect([waits[1], third, waits[3]]).toEqual([one, one - 1, one]);
});
