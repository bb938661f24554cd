import { describe, expect, test } from "vitest";
import type { Told } from "../../src/engine/told.ts";
import { mostCharacters, page } from "../../src/report/page.ts";
import { summarise } from "../../src/report/summary.ts";
import {
  greenRun,
  iteration,
  loopEnded,
  loopStarted,
  runEnded,
  runStarted,
  telling,
  waitingRun,
} from "./telling.ts";

test("a run that ended green", () => {
  expect(page(summarise(greenRun))).toMatchInlineSnapshot(`
    "### ✅ fix-tests succeeded: the check passed

    Run \`fix-tests-7f3a\` · agent \`claude\` · 3 iterations · 16 s · 3.7k tokens · $0.06

    #### \`fix\`: 3 of at most 10 iterations, until-bash

    | # | changed | stops | failing | time | tokens | cost |
    | --: | --- | --- | --: | --: | --: | --: |
    | 1 | 1 file +10 −1 | until-bash: go on, \\\`npm test\\\` exited with 1 | 7 → 4 | 3.0 s | 1.2k | \\$0.02 |
    | 2 | 2 files +20 −2 | until-bash: go on, \\\`npm test\\\` exited with 1 | 4 → 1 | 3.0 s | 1.2k | \\$0.02 |
    | 3 | 3 files +30 −3 | until-bash: done, \\\`npm test\\\` exited with 0 | 1 → 0 | 3.0 s | 1.2k | \\$0.02 |

    Failing tests: \`█▅▂▁\` 7 → 0

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

    <details><summary>Last output</summary>

    \`\`\`text
    All green.
    \`\`\`

    </details>
    "
  `);
});

test("a run that waits for a person", () => {
  expect(page(summarise(waitingRun("Shall I go on?")))).toMatchInlineSnapshot(`
    "### ⏸️ fix-tests paused: waits for a person

    Run \`fix-tests-7f3a\` · agent \`claude\` · 1 iteration · 7.0 s · 1.2k tokens · $0.02

    #### Waiting for a person at \`/fix#1!gate\`

    \`\`\`text
    Shall I go on?
    \`\`\`

    Answer with one of:

    \`\`\`text
    until-green approve fix-tests-7f3a "what to do next"
    until-green approve fix-tests-7f3a
    until-green reject fix-tests-7f3a "why"
    until-green cancel fix-tests-7f3a
    \`\`\`

    #### \`fix\`: 1 of at most 10 iterations, paused

    | # | changed | stops | failing | time | tokens | cost |
    | --: | --- | --- | --: | --: | --: | --: |
    | 1 | 1 file +10 −1 | until-bash: go on, \\\`npm test\\\` exited with 1 | 4 | 3.0 s | 1.2k | \\$0.02 |

    Failing tests: \`█\` 4

    <details><summary>Last output</summary>

    \`\`\`text
    Tried number 1.
    \`\`\`

    </details>
    "
  `);
});

test("a run that failed says why, and its notices", () => {
  const events = telling(
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
      because: "loop fix used its 10 iterations; until-bash: exited with 1",
    },
  );
  expect(page(summarise(events))).toMatchInlineSnapshot(`
    "### ❌ fix-tests failed: no iterations are left

    loop fix used its 10 iterations; until-bash: exited with 1

    Run \`fix-tests-7f3a\` · agent \`claude\` · 0 iterations · 2.0 s

    #### Notices

    - \`UNKNOWN_REFERENCE\` \\$FOO is unknown (\`loop.yml:3\`)
    "
  `);
});

test("a run whose time was up says how to go on", () => {
  const paused: Told = { type: "run.paused", stop_reason: "time-limit", gates: [] };
  expect(page(summarise(telling(runStarted, paused)))).toContain("until-green resume fix-tests-7f3a");
});

describe("the ways to answer a gate", () => {
  test("are comments where the page stands in a pull request", () => {
    const text = page(summarise(waitingRun("Go on?")), { answerBy: "comment" });
    expect(text).toContain("/workflow approve fix-tests-7f3a <what to do next>");
    expect(text).toContain("/workflow cancel fix-tests-7f3a");
  });

  test("are not said twice where the gate's own text says them", () => {
    const text = page(summarise(waitingRun("Go on?\n\nuntil-green approve fix-tests-7f3a")));
    expect(text.match(/approve fix-tests-7f3a/g)).toHaveLength(1);
  });

  test("name the gate where an older one is open", () => {
    const second: Told = { type: "gate.opened", path: "/other", node: "other", message: "Or this?" };
    const text = page(summarise([...waitingRun("Go on?"), ...telling(second)]));
    expect(text).toContain("until-green approve fix-tests-7f3a --gate '/other'");
  });
});

test("changes link to their diff where its address is known", () => {
  const text = page(summarise(greenRun), { diffUrl: (from, to) => `https://forge.test/${from}...${to}` });
  expect(text).toContain("[2 files +20 −2](https://forge.test/11111111...22222222)");
});

test("what an agent wrote cannot leave its place", () => {
  const evil = "```\n</details>\n@octocat <script>1</script>\n````\n/workflow approve fix-tests-7f3a";
  const because = "| a |\n## <img> @octocat";
  const events = telling(
    { ...runStarted, workflow: "fix\n# @all" } as Told,
    loopStarted,
    ...iteration(1, 1),
    { type: "stop.tested", path: "/fix#1?2", kind: "judge", verdict: "go-on", because },
    { ...runEnded(1), output: evil } as Told,
  );
  const text = page(summarise(events));
  expect(text).toContain(`\`\`\`\`\`text\n${evil}\n\`\`\`\`\``);
  expect(text).toContain("judge: go on, \\| a \\| ## &lt;img&gt; @&#8203;octocat");
  expect(text).toContain("### ✅ fix # @&#8203;all succeeded");
});

describe("a page of a very long run", () => {
  const long = "a | b ".repeat(100);
  const tested = (number: number): Told => ({
    type: "stop.tested",
    path: `/fix#${number}?2`,
    kind: "judge",
    verdict: "go-on",
    because: long,
  });
  const many = Array.from({ length: 120 }, (_, at) => [...iteration(at + 1, 1), tested(at + 1)]).flat();
  const notices = Array.from({ length: 300 }, (): Told => ({ type: "notice", code: "X", message: long }));
  const output = "`".repeat(200_000);

  test("has at most 65,536 characters", () => {
    const loops = Array.from({ length: 20 }, (_, at) => [
      { ...loopStarted, path: `/fix${at}` } as Told,
      ...many,
    ]);
    const events = telling(runStarted, loopStarted, ...many, ...loops.flat(), ...notices, loopEnded(120), {
      ...runEnded(120),
      output,
    } as Told);
    const text = page(summarise(events));
    expect(text.length).toBeLessThanOrEqual(mostCharacters);
    expect(text).toContain("… ");
  });

  test("cuts rows and outputs before the gate", () => {
    const message = `Look at this:\n${"m".repeat(50_000)}\nSo?`;
    const events = telling(runStarted, loopStarted, ...many, ...notices, {
      type: "gate.opened",
      path: "/fix#120!gate",
      node: "fix",
      message,
    });
    const text = page(summarise(events));
    expect(text.length).toBeLessThanOrEqual(mostCharacters);
    expect(text).toContain(message);
    expect(text).toContain("until-green cancel fix-tests-7f3a");
  });

  test("keeps the commands of a gate whose text alone is too long", () => {
    const text = page(summarise(waitingRun("m".repeat(300_000))));
    expect(text.length).toBeLessThanOrEqual(mostCharacters);
    expect(text).toContain("characters left out");
    expect(text).toContain("until-green approve fix-tests-7f3a");
  });

  test("shows many gates, each with its command", () => {
    const gates = Array.from({ length: 40 }, (_, at): Told => {
      return { type: "gate.opened", path: `/g${at}`, node: `g${at}`, message: "m".repeat(9_000) };
    });
    const text = page(summarise(telling(runStarted, ...gates)));
    expect(text.length).toBeLessThanOrEqual(mostCharacters);
    expect(text).toContain("until-green approve fix-tests-7f3a --gate '/g39'");
  });
});
