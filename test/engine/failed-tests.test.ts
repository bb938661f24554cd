import { expect, test } from "vitest";
import { ended, green, shell, tests } from "./checks.ts";

const passed = green(tests(["a", "b"]));
const failed = green(tests(["a"], ["b"]));

test("failed tests that the output names are not green, although nothing is known of the tests before", async () => {
  const it = await ended("", { shell: shell([failed, passed]) }, "baseline: false");
  expect(it.of("stop.tested")).toMatchObject([
    { verdict: "go-on", because: "it passed, but tests failed: b" },
    { verdict: "done" },
  ]);
});

test("they are not green in the baseline either, so the agent gets to work", async () => {
  const it = await ended("", { shell: shell([failed, passed]) });
  expect(it.of("stop.tested")[0]).toMatchObject({
    verdict: "go-on",
    because: "it passed, but tests failed: b",
  });
  expect(it.end()).toMatchObject({ stop_reason: "until-bash", iterations: 1 });
});

test("they are not green when the check is repeated to confirm it", async () => {
  const it = await ended("", { shell: shell([passed, failed, passed]) }, "baseline: false, confirm: 2");
  expect(it.of("stop.tested")[0]).toMatchObject({
    verdict: "go-on",
    because: "it passed, then failed on the same files (b): it passed, but tests failed: b",
  });
  expect(it.end()).toMatchObject({ stop_reason: "until-bash", iterations: 2 });
});

test("they are not green in a fresh clone", async () => {
  const clones = { "commit-2": failed, "commit-1": passed };
  const it = await ended("", { shell: shell([passed], clones) }, "baseline: false");
  expect(it.of("stop.tested")[0]).toMatchObject({
    verdict: "go-on",
    because: "it passed here, but not in a fresh clone: tests failed: b",
  });
});
