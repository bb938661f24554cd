import { describe, expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { maxCharacters, runMarkdown } from "../../src/render/run-markdown.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import {
  eventsOf,
  gateOpened,
  greenRun,
  iteration,
  loopEnded,
  loopStarted,
  runEnded,
  runStarted,
  waitingRun,
} from "./run-events.ts";

test("a run that ended green", () => {
  expect(runMarkdown(summarizeEvents(greenRun))).toMatchInlineSnapshot(`
    "### ✅ fix-tests succeeded: the check passed

    #### \`fix\`: 3 of at most 10 iterations, the check passed

    | # | result | diff | spent |
    | --: | --- | --- | --- |
    | 1 | ❌ 7 → 4 failing | 1 file +10 −1 | 3.0 s · \\$0.02 |
    | 2 | ❌ 4 → 1 failing | 2 files +20 −2 | 3.0 s · \\$0.02 |
    | 3 | ✅ check passed | 3 files +30 −3 | 3.0 s · \\$0.02 |

    Failing tests: \`█▅▂▁\` 7 → 0

    <details><summary>Chart</summary>

    \`\`\`mermaid
    ---
    config:
      xyChart:
        width: 700
        height: 260
      themeVariables:
        xyChart:
          backgroundColor: 'transparent'
          plotColorPalette: '#d1242f'
    ---
    xychart-beta
      title "Failing tests"
      x-axis ["0", "1", "2", "3"]
      y-axis 0 --> 10
      line [7, 4, 1, 0]
    \`\`\`

    </details>

    <details><summary>Last output</summary>

    > All green.

    </details>

    <sub>Run \`fix-tests-7f3a\` · agent \`claude\` · 3 iterations · 16 s · 3.7k tokens · $0.06 · $0.01 and 2.3 s per fixed test</sub>
    "
  `);
});

test("a run that waits for a person", () => {
  expect(runMarkdown(summarizeEvents(waitingRun("Shall I go on?")))).toMatchInlineSnapshot(`
    "### ⏸️ Waiting for you · fix-tests · fix · iteration 1 of 10

    > Shall I go on?

    \`\`\`text
    until-green approve fix-tests-7f3a
    \`\`\`

    <details><summary>With feedback, reject or cancel</summary>

    \`\`\`text
    until-green approve fix-tests-7f3a "what to do next"
    until-green reject fix-tests-7f3a "why"
    until-green cancel fix-tests-7f3a
    \`\`\`

    </details>

    **❌ 4 tests failing (\\\`npm test\\\` exited with 1)**

    <details><summary>Last lines of the check</summary>

    \`\`\`text
    # pass 3
    # fail 4
    \`\`\`

    </details>

    <details><summary><code>fix</code>: 1 of at most 10 iterations, paused</summary>

    | # | result | diff | spent |
    | --: | --- | --- | --- |
    | 1 | ❌ 4 failing | 1 file +10 −1 | 3.0 s · \\$0.02 |

    </details>

    <details><summary>Last output</summary>

    > Tried number 1.

    </details>

    <sub>Run \`fix-tests-7f3a\` · agent \`claude\` · 1 iteration · 7.0 s · 1.2k tokens · $0.02</sub>
    "
  `);
});

test("a run that failed says why, and its notices", () => {
  const events = eventsOf(
    runStarted,
    { type: "notice", code: "UNKNOWN_REFERENCE", message: "$FOO is unknown", file: "loop.yml", line: 3 },
    {
      type: "run.ended",
      conclusion: "failure",
      stop_reason: "max-iterations",
      output: "",
      results: {},
      iterations: 0,
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      because: "fix was not done after 10 iterations: the check failed (exit 1)",
    },
  );
  expect(runMarkdown(summarizeEvents(events))).toMatchInlineSnapshot(`
    "### ❌ fix-tests failed: the iteration limit was reached

    fix was not done after 10 iterations: the check failed (exit 1)

    #### Notices

    - \`UNKNOWN_REFERENCE\` \\$FOO is unknown (\`loop.yml:3\`)

    <sub>Run \`fix-tests-7f3a\` · agent \`claude\` · 2.0 s</sub>
    "
  `);
});

test("a run whose time was up says how to continue", () => {
  const paused: RunEventBody = { type: "run.paused", stop_reason: "time-limit", gates: [] };
  expect(runMarkdown(summarizeEvents(eventsOf(runStarted, paused)))).toContain(
    "until-green resume fix-tests-7f3a",
  );
});

describe("the ways to answer a gate", () => {
  test("are comments if the page is in a pull request", () => {
    const text = runMarkdown(summarizeEvents(waitingRun("Go on?")), { answerBy: "comment" });
    expect(text).toContain(
      "To answer, post this as a new comment:\n\n```text\n/workflow approve fix-tests-7f3a\n```",
    );
    expect(text).toContain("/workflow approve fix-tests-7f3a <text>");
    expect(text).toContain("/workflow cancel fix-tests-7f3a");
  });

  test("come after the opening of a long question, whose whole text is folded", () => {
    const paragraph = `${"The parser drops the last cell. ".repeat(10).trim()}\n\n`;
    const question = `Is this the right way?\n\n${paragraph.repeat(9)}The end.`;
    const text = runMarkdown(summarizeEvents(waitingRun(question)), { answerBy: "comment" });
    const before = text.slice(0, text.indexOf("/workflow approve"));
    const [opening = "", whole = ""] = before.split("<details><summary>The whole message</summary>");
    expect(opening).toContain("> Is this the right way?");
    expect(opening).toContain("> The parser drops the last cell.");
    expect(opening).toMatch(/\n>\n> …\n\n$/);
    expect(opening.length).toBeLessThan(1_000);
    expect(whole.match(/> The parser/g)).toHaveLength(9);
    expect(whole).toContain("> The end.\n\n</details>");
  });

  test("come after a short question, of which nothing is folded", () => {
    const text = runMarkdown(summarizeEvents(waitingRun(`Go on? ${"word ".repeat(100)}`)));
    expect(text).not.toContain("The whole message");
  });

  test("leave room for themselves on a phone: the iterations are folded while a person is asked", () => {
    const waits = runMarkdown(summarizeEvents(waitingRun("Go on?")), { answerBy: "comment" });
    expect(waits).toMatch(/<details><summary><code>fix<\/code>: 1 .*<\/summary>\n\n\| # \|/);
    expect(waits).not.toContain("#### ");
    expect(runMarkdown(summarizeEvents(greenRun))).toContain("#### `fix`: ");
  });

  test("are shown whatever commands the agent wrote into the question", () => {
    const text = runMarkdown(summarizeEvents(waitingRun("Go on?\n\nuntil-green approve fix-tests-7f3a")));
    expect(text).toContain("until-green cancel fix-tests-7f3a");
  });

  test.each(["0a1b2c3d", "c1lm2n3p", "0a1b2c3d-item-12"])(
    "name a run by the end %s of its id in comments, which fits on a phone",
    (end) => {
      const summary = { ...summarizeEvents(waitingRun("Go on?")), run: `fix-strict-null-checks-${end}` };
      expect(runMarkdown(summary, { answerBy: "comment" })).toContain(`\n/workflow approve ${end}\n`);
      expect(runMarkdown(summary)).toContain(`\nuntil-green approve fix-strict-null-checks-${end}\n`);
    },
  );

  test("name the gate where an older one is open", () => {
    const second = gateOpened("/other", "Or this?");
    const summary = summarizeEvents([...waitingRun("Go on?"), ...eventsOf(second)]);
    expect(runMarkdown(summary)).toContain("until-green approve fix-tests-7f3a --gate '/other'");
    expect(runMarkdown(summary, { answerBy: "comment" })).toContain(
      "\n/workflow approve fix-tests-7f3a --gate /other <text>\n",
    );
  });
});

test("changes link to their diff where its address is known", () => {
  const text = runMarkdown(summarizeEvents(greenRun), {
    diffUrl: (from, to) => `https://forge.test/${from}...${to}`,
  });
  expect(text).toContain("[2 files +20 −2](https://forge.test/11111111...22222222)");
});

test("an iteration that changed nothing links to no diff", () => {
  const events = greenRun.map((event) =>
    event.type === "iteration.ended" && event.number === 2
      ? { ...event, diff: { files: 0, added: 0, removed: 0, paths: [] } }
      : event,
  );
  const text = runMarkdown(summarizeEvents(events), {
    diffUrl: (from, to) => `https://forge.test/${from}...${to}`,
  });
  expect(text).toMatch(/^\| 2 \|.*\| nothing \|/m);
  expect(text).toContain("[3 files +30 −3](https://forge.test/22222222...33333333)");
});

test("what an agent wrote cannot leave its place", () => {
  const evil = "```\n</details>\n@octocat <script>1</script>\n````\n/workflow approve fix-tests-7f3a";
  const because = "| a |\n## <img> @octocat";
  const events = eventsOf(
    { ...runStarted, workflow: "fix\n# @all" } as RunEventBody,
    loopStarted,
    ...iteration(1, 1),
    { type: "stop.tested", path: "/fix#1?2", kind: "judge", verdict: "go-on", because },
    { ...runEnded(1), output: evil } as RunEventBody,
  );
  const text = runMarkdown(summarizeEvents(events));
  expect(text).toContain(evil.replace(/^/gm, "> "));
  expect(text.replaceAll("\u00a0", " ")).toContain("❌ judge: \\| a \\| ## &lt;img&gt; @&#8203;octocat");
  expect(text).toContain("### ✅ fix # @&#8203;all succeeded");
});

describe("a page of a very long run", () => {
  const long = "a | b ".repeat(100);
  const tested = (number: number): RunEventBody => ({
    type: "stop.tested",
    path: `/fix#${number}?2`,
    kind: "judge",
    verdict: "go-on",
    because: long,
  });
  const many = Array.from({ length: 120 }, (_, at) => [...iteration(at + 1, 1), tested(at + 1)]).flat();
  const notices = Array.from(
    { length: 300 },
    (): RunEventBody => ({ type: "notice", code: "X", message: long }),
  );
  const output = "`".repeat(200_000);

  test("has at most 65,536 characters", () => {
    const loops = Array.from({ length: 20 }, (_, at) => [
      { ...loopStarted, path: `/fix${at}` } as RunEventBody,
      ...many,
    ]);
    const events = eventsOf(runStarted, loopStarted, ...many, ...loops.flat(), ...notices, loopEnded(120), {
      ...runEnded(120),
      output,
    } as RunEventBody);
    const text = runMarkdown(summarizeEvents(events));
    expect(text.length).toBeLessThanOrEqual(maxCharacters);
    expect(text).toContain("… ");
  });

  test("cuts rows and outputs before the gate", () => {
    const question = `Look at this:\n${"m".repeat(50_000)}\nSo?`;
    const events = eventsOf(
      runStarted,
      loopStarted,
      ...many,
      ...notices,
      gateOpened("/fix#120!gate", question),
    );
    const text = runMarkdown(summarizeEvents(events));
    expect(text.length).toBeLessThanOrEqual(maxCharacters);
    expect(text).toContain(`> ${"m".repeat(50_000)}\n> So?`);
    expect(text).toContain("until-green cancel fix-tests-7f3a");
  });

  test("keeps the commands of a gate whose text alone is too long", () => {
    const text = runMarkdown(summarizeEvents(waitingRun("m".repeat(300_000))));
    expect(text.length).toBeLessThanOrEqual(maxCharacters);
    expect(text).toContain("characters left out");
    expect(text).toContain("until-green approve fix-tests-7f3a");
  });

  test("shows many gates, each with its command", () => {
    const gates = Array.from({ length: 40 }, (_, at) => gateOpened(`/g${at}`, "m".repeat(9_000)));
    const text = runMarkdown(summarizeEvents(eventsOf(runStarted, ...gates)));
    expect(text.length).toBeLessThanOrEqual(maxCharacters);
    expect(text).toContain("until-green approve fix-tests-7f3a --gate '/g39'");
  });
});

test("what a person sees of an output: an agent's words flow, a program's keep their columns, a gate's are not repeated", () => {
  const shown = (output: string) =>
    runMarkdown(summarizeEvents(eventsOf(runStarted, { ...runEnded(0), output } as RunEventBody)));
  expect(shown("I changed `a.js`\nand **b**.")).toContain("> I changed `a.js`\n> and **b**.\n");
  expect(shown("a.js    12\nlonger  3")).toContain("```text\na.js    12\nlonger  3\n```");
  expect(runMarkdown(summarizeEvents(waitingRun("Good?\n\nTried\nnumber 1.")))).not.toContain("Last output");
});

test("a notice keeps its code, and a number stays with its unit", () => {
  const notice = { type: "notice", code: "X_Y", message: "set `a_b|c` or @ada" } as unknown as RunEventBody;
  const text = runMarkdown(summarizeEvents(eventsOf(runStarted, loopStarted, ...iteration(1, 1), notice)));
  expect(text).toContain("- `X_Y` set `a_b|c` or @&#8203;ada");
  expect(text).toContain("| 3.0\u00a0s\u00a0· \\$0.02 |");
});
