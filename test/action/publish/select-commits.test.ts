import { expect, test } from "vitest";
import { finalWork } from "../../../action/publish/select-commits.ts";
import { openWork } from "./work-on-host.ts";

test("what the last check saw is published, or what came after it, with a notice", async () => {
  const { gitDir, base, git, snapshot } = await openWork();
  const of = (checked: string | undefined, now: string, disturbed = false) =>
    finalWork({ gitDir, checked, now, disturbed });
  const checked = await snapshot({ "state.txt": "green\n" });
  const same = git("commit-tree", `${checked}^{tree}`, "-p", checked, "-m", "same");
  const later = await snapshot({ "cache.txt": "c\n" }, checked);
  expect(await of(undefined, later)).toEqual({ final: later });
  expect(await of(checked, same)).toEqual({ final: same });
  expect(await of(checked, later)).toEqual({
    final: later,
    notice: "changed while the last check ran, or after it: cache.txt",
  });
  expect(await of(checked, later, true)).toEqual({
    final: checked,
    notice:
      "left out, because another part of the run was active during its last check and may have written it: cache.txt",
  });
  // A snapshot of an iteration has no workflow files.
  const withWorkflow = await snapshot({ ".github/workflows/ci.yml": "on: push\n" }, checked);
  expect(await of(checked, withWorkflow, true)).toEqual({ final: withWorkflow });
  const many = await snapshot(Object.fromEntries([..."abcdefg"].map((name) => [name, "x\n"])), checked);
  expect((await of(checked, many)).notice).toMatch(/: a, b, c, d, e and 2 more$/);
  const five = await snapshot(Object.fromEntries([..."abcde"].map((name) => [name, "x\n"])), checked);
  expect((await of(checked, five)).notice).toMatch(/: a, b, c, d, e$/);
  // What was kept out of the checked snapshot, such as a file with a key, is judged when the work is published.
  const message = 's\n\nUntil-Green-Withheld: "log.txt"';
  const partial = git("commit-tree", `${base}^{tree}`, "-p", base, "-m", message);
  expect(await of(partial, later, true)).toEqual({ final: later });
});
