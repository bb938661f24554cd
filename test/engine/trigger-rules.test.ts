import { expect, test } from "vitest";
import { stage } from "../parts/stage.ts";

const rules = ["all_success", "one_success", "none_failed_min_one_success", "all_done"] as const;

/** How a node ends after two others, of which each completed, failed or was skipped, by rule. */
async function joined(left: string, right: string) {
  const node = (id: string, end: string) =>
    `  - { id: ${id}, bash: ${end}${end === "skip" ? ', when: "1 == 2"' : ""} }\n`;
  const joins = rules.map(
    (rule) => `  - { id: ${rule}, bash: join, depends_on: [left, right], trigger_rule: ${rule} }\n`,
  );
  const it = stage(`name: t\nnodes:\n${node("left", left)}${node("right", right)}${joins.join("")}`, {
    shell: ({ script }) => (script === "fail" ? 1 : 0),
  });
  await it.begin();
  const ends = it.of("node.ended").map(({ node, status, reason }) => [node, reason ?? status] as const);
  const byNode: Readonly<Record<string, string>> = Object.fromEntries(ends);
  return rules.map((rule) => byNode[rule]);
}

test.each([
  ["ok", "ok", ["completed", "completed", "completed", "completed"]],
  ["ok", "skip", ["right did not run, and all_success requires more", "completed", "completed", "completed"]],
  [
    "skip",
    "fail",
    [
      "right failed, and all_success requires more",
      "right failed, and one_success requires more",
      "right failed, and none_failed_min_one_success requires more",
      "completed",
    ],
  ],
  [
    "fail",
    "ok",
    [
      "left failed, and all_success requires more",
      "completed",
      "left failed, and none_failed_min_one_success requires more",
      "completed",
    ],
  ],
  [
    "skip",
    "skip",
    [
      "left did not run, and all_success requires more",
      "left did not run, and one_success requires more",
      "left did not run, and none_failed_min_one_success requires more",
      "completed",
    ],
  ],
])("after %s and %s, each rule says whether a node runs, and why not", async (left, right, ends) => {
  expect(await joined(left, right)).toEqual(ends);
});

test("a node that was skipped for a failure blocks those after it, a node that chose not to run does not", async () => {
  const it = stage(
    `name: t
nodes:
  - { id: bad, bash: fail }
  - { id: after, bash: x, depends_on: [bad] }
  - { id: last, bash: x, depends_on: [after], trigger_rule: none_failed_min_one_success }
  - { id: no, bash: x, when: "1 == 2" }
  - { id: ok, bash: x }
  - { id: both, bash: x, depends_on: [no, ok], trigger_rule: none_failed_min_one_success }
`,
    { shell: ({ script }) => (script === "fail" ? 1 : 0) },
  );
  await it.begin();
  expect(it.of("node.ended").map(({ node, status, reason }) => [node, status, reason])).toEqual(
    expect.arrayContaining([
      ["bad", "failed", "the script exited with 1"],
      ["after", "skipped", "bad failed, and all_success requires more"],
      ["last", "skipped", "after did not run, and none_failed_min_one_success requires more"],
      ["no", "skipped", "its condition is false"],
      ["both", "completed", undefined],
    ]),
  );
});
