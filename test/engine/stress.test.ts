import { describe, expect, test } from "vitest";
import { after, before, ended, green, red, shell, tests } from "./checks.ts";

const checks = "baseline: true, stress: 5";
const flaky = { ...red(before), tail: "b failed now and then" };

describe("`check: { stress: N }`", () => {
  test("fails if one of N runs fails, and says how often each test failed, with an interval", async () => {
    const answers = [green(after), flaky, green(after), flaky, green(after), ...Array(5).fill(green(after))];
    const it = await ended("", { shell: shell(answers) }, checks);
    const [baseline, fixed] = it.of("stop.tested");
    expect(baseline).toMatchObject({ verdict: "go-on", because: "2 of 5 runs failed" });
    expect(baseline?.tail).toBe(
      "2 of 5 runs failed (40 %; 95 % interval 12–77 %)\n  2 of 5  b (40 %; 12–77 %)\n\nb failed now and then",
    );
    expect(fixed).toMatchObject({ verdict: "done", because: "exit 0" });
    expect(it.end()).toMatchObject({ conclusion: "success", iterations: 1 });
  });

  test("counts each test by itself, the most frequent failure first, and gives the agent the table", async () => {
    const both = { ...red(tests([], ["a", "b"])), tail: "a and b" };
    const it = await ended("", { shell: shell([both, flaky, green(after), both, green(after)]) }, checks);
    expect(it.prompts[0]?.prompt).toBe("fix it");
    expect(it.of("notice")).toMatchObject([
      {
        code: "FLAKY_TESTS",
        message: expect.stringMatching(/^3 of 5 runs failed \(60 %; .*: b in 3 \(.*\), a in 2 \(/),
      },
    ]);
  });

  test("ends as nothing to do only if all of N runs are green before the first iteration", async () => {
    const it = await ended("", { shell: shell([green(after)]) }, checks);
    expect(it.end()).toMatchObject({ stop_reason: "nothing-to-do" });
    expect(it.scripts.filter(({ clean }) => clean === undefined)).toHaveLength(5);
  });

  test("does not call a check flaky that fails each time", async () => {
    const it = await ended("", { shell: shell([red(before)]) }, checks);
    expect(it.of("notice").map(({ code }) => code)).not.toContain("FLAKY_TESTS");
    expect(it.of("stop.tested")[0]?.because).toBe("5 of 5 runs failed");
  });

  test("cannot be combined with what hides or repeats failures", async () => {
    const it = await ended("", { shell: shell([green(after)]) }, "stress: 5, retries: 1").catch(
      (error) => error,
    );
    expect(String(it.message)).toContain("`stress` already runs the check several times");
  });
});
