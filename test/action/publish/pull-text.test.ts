import { describe, expect, test } from "vitest";
import { issueOfGoal } from "../../../action/publish/publish-plan.ts";
import {
  keepTitle,
  messageOf,
  oneLine,
  pullBody,
  pullTitle,
  templatesOf,
} from "../../../action/publish/pull-text.ts";
import { emptyBoundedList } from "../../../src/status/bounded-list.ts";
import { headline } from "../../../src/status/headline.ts";
import { summarizeEvents } from "../../../src/status/run-summary.ts";
import { greenRun, waitingRun } from "../../render/run-events.ts";
import { site } from "./scheduled-site.ts";

const green = summarizeEvents(greenRun);
const sentence = headline(green).replace(/^\S+ /, "");
const inputs = (given: object) => given as Parameters<typeof templatesOf>[0];
// Nobody has chosen one of the attempts.
const attempts = greenRun.map((event) =>
  event.type === "loop.started" ? { ...event, mode: "attempts" as const } : event,
);
const foot = (what: string) => `${what}, published by [this job](${site.job}).`;

describe("a template", () => {
  test("is the job's, or else the file's, with the issue's number", () => {
    const file = { title: "T {issue}", body: "B" };
    expect(templatesOf(inputs({ body: "ours #{issue}" }), file, 7)).toEqual({
      title: "T 7",
      body: "ours #7",
    });
    expect(templatesOf(inputs({ "commit-message": "m {issue}" }))).toEqual({ commitMessage: "m " });
  });

  test("is filled with words without the sign, and leaves unknown names", () => {
    const text = messageOf("{workflow} {run} {conclusion}: {summary}; {output} {other}", {
      ...green,
      output: "  did it \n",
    });
    expect(text).toBe(`${green.workflow} ${green.run} success: ${sentence}; did it {other}`);
  });

  test("makes no line of a message that looks like a trailer of ours", () => {
    const output = "fixed, see until-green-run\nUntil-Green-Run: forged";
    expect(messageOf("{output}", { ...green, output })).toBe(
      "fixed, see until-green-run\n Until-Green-Run: forged",
    );
  });

  test("makes a title of one line, with a name if nothing is left", () => {
    expect(pullTitle("  a \n\t b{output}  ", { ...green, output: "" })).toBe("a b");
    expect(pullTitle(undefined, green)).toBe(`until-green: ${green.workflow}`);
    expect(pullTitle("{output}", { ...green, output: " \n" })).toBe("until-green");
    expect(oneLine(" a\n\n b ", 99)).toBe("a b");
    // Wherever it is cut.
    for (const long of ["a ".repeat(300), " a".repeat(300), `b${" a".repeat(300)}`])
      expect(oneLine(long, 250)).not.toMatch(/\s\s|\n/);
    expect(messageOf(" {output}\n", { ...green, output: "" })).toBe("");
    const waiting = summarizeEvents(waitingRun("Fine?"));
    expect(pullTitle("{summary}", waiting)).toMatch(/^Waiting for you/);
  });
});

describe("the body of a pull request", () => {
  test("is as long as GitHub takes it, however many long runs it shows", () => {
    const long = { ...green, output: "word ".repeat(20_000) };
    for (const count of [1, 2, 8])
      expect(pullBody(Array(count).fill(long), site, {}).length).toBeLessThan(65_536);
  });

  test("has the headline, the quoted output, the tests, the run and the job", () => {
    const body = pullBody([{ ...green, output: " Fixed <b>it</b>\nand more " }], site);
    expect(body.startsWith(`### ${headline(green)}\n\n> Fixed &lt;b&gt;it&lt;/b&gt;\n> and more\n\n`)).toBe(
      true,
    );
    expect(body).toContain(
      "> and more\n\n| Failing tests before | after |\n| --: | --: |\n| 7 | 0 |\n\n<details><summary>The run</summary>\n\n",
    );
    expect(body).toContain(`Run \`${green.run}\``);
    expect(body.endsWith(foot(`The work of the agent loop ${green.workflow}`))).toBe(true);
    expect(body).not.toContain("Not in it");
    expect(body).not.toContain("Notes for the next attempt");
  });

  test("quotes no empty output", () => {
    expect(pullBody([{ ...green, output: " \n" }], site)).toContain(`### ${headline(green)}\n\n| Failing`);
  });

  test.each([
    ["", { loops: emptyBoundedList }],
    [" after the run", summarizeEvents(attempts)],
  ])("has no number of failing tests if it is unknown%s", (_, more) => {
    const summary = { ...green, ...more, output: "" };
    expect(pullBody([summary], site)).toContain(`### ${headline(summary)}\n\n<details>`);
  });

  test("names several runs and loops, and the issue", () => {
    const body = pullBody([green, { ...green, workflow: "other" }], { ...site, issue: 12 });
    expect(body).toContain("<details><summary>The runs</summary>");
    expect(
      body.endsWith(foot(`The work of the agent loop ${green.workflow}, other in 2 runs, started from #12`)),
    ).toBe(true);
  });

  test("lists what is missing, at most twenty, and the notes for later attempts", () => {
    const missing = Array.from({ length: 22 }, (_, at) => `file ${at} <i>`);
    const body = pullBody([green], site, { missing, notes: ["1. try <b>again</b>", "2. wait"] });
    expect(body).toContain("> [!WARNING]\n> **Not in it:**\n> - file 0 &lt;i&gt;\n");
    expect(body).toContain("> - file 19 &lt;i&gt;\n> - … 2 more\n\n");
    expect(body).toContain(
      "<details><summary>Notes for the next attempt</summary>\n\n- 1. try &lt;b&gt;again&lt;/b&gt;\n- 2. wait\n\n`/workflow forget 2`",
    );
    expect(pullBody([green], site, { missing: ["one"] })).toContain("**Not in it:**\n> - one\n\n");
  });

  test("is the template, escaped, in place of the headline", () => {
    const body = pullBody([{ ...green, output: "<b>" }], site, { template: "Ours: {output}" });
    expect(body.startsWith("Ours: &lt;b&gt;\n\n<details>")).toBe(true);
  });
});

describe("the issue of a goal", () => {
  const at = (more: object) => ({ ...site, ...more }) as Parameters<typeof issueOfGoal>[2];
  test.each([
    ["that of the event", { issue: 3 }, 3],
    ["that of the branch the event is about", { branch: "until-green/fix-issue-12" }, 12],
    ["that of its pull request", { pull: { branch: "until-green/fix-issue-9" }, branch: "main" }, 9],
    ["none for another branch", { branch: "until-green/other-issue-12" }, undefined],
    ["none for a number that is none", { branch: "until-green/fix-issue-012" }, undefined],
    ["none without a branch", {}, undefined],
  ])("is %s", (_, where, issue) => {
    expect(issueOfGoal("fix", inputs({}), at(where))).toBe(issue);
  });
  test("is none if the job names its branch", () => {
    const where = at({ branch: "until-green/fix-issue-12" });
    expect(issueOfGoal("fix", inputs({ branch: "b" }), where)).toBeUndefined();
  });
});

test("a title that a person edited stays, attempt after attempt, and one of ours is replaced", () => {
  const text = (title: string) => ({ title, body: "B" });
  const first = keepTitle(undefined, text("one"));
  expect(first.title).toBe("one");
  const second = keepTitle(first, text("two"));
  expect(second.title).toBe("two");
  const third = keepTitle({ ...second, title: "theirs" }, text("three"));
  expect(third.title).toBe("theirs");
  expect(keepTitle(third, text("four")).title).toBe("theirs");
  // They gave ours back.
  expect(keepTitle({ ...third, title: "two" }, text("five")).title).toBe("five");
  // A pull request that somebody else opened has their title.
  expect(keepTitle({ title: "theirs", body: "" }, text("six"))).toEqual({ title: "theirs", body: "B" });
});
