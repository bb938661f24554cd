import { expect, test } from "vitest";
import type { RunEventBody } from "../../src/engine/run-events.ts";
import { html } from "../../src/render/html.ts";
import type { ReportDetails } from "../../src/render/html-details.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import { eventsOf, greenRun, runEnded, runStarted, waitingRun } from "./run-events.ts";

test("a run is one file that loads nothing and runs nothing", () => {
  const text = html(summarizeEvents(greenRun));
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).not.toMatch(/<script|<link|<img|\ssrc=|\shref=|url\(/);
  expect(text).toContain("color-scheme: light dark");
});

test("the page contains what the report contains", () => {
  const body = html(summarizeEvents(greenRun)).replace(/^[\s\S]*<main>/, "");
  expect(body).toMatchInlineSnapshot(`
    "
    <h1>✅ fix-tests succeeded: the check passed</h1>
    <p class="facts">Run <code>fix-tests-7f3a</code> · agent <code>claude</code> · 3 iterations · 16 s · 3.7k tokens · $0.06 · $0.01 and 2.3 s per fixed test</p>
    <section><h2><code>fix</code>: 3 of at most 10 iterations, the check passed</h2>
    <div class="scroll"><table>
    <thead><tr><th class="right">#</th><th>result</th><th class="right">failing</th><th>changed</th><th class="right">time</th><th class="right">tokens</th><th class="right">cost</th></tr></thead>
    <tbody>
    <tr><td class="right">1</td><td>❌ check failed (\`npm test\` exited with 1)</td><td class="right">7 → 4</td><td>1 file +10 −1</td><td class="right">3.0 s</td><td class="right">1.2k</td><td class="right">$0.02</td></tr>
    <tr><td class="right">2</td><td>❌ check failed (\`npm test\` exited with 1)</td><td class="right">4 → 1</td><td>2 files +20 −2</td><td class="right">3.0 s</td><td class="right">1.2k</td><td class="right">$0.02</td></tr>
    <tr><td class="right">3</td><td>✅ check passed</td><td class="right">1 → 0</td><td>3 files +30 −3</td><td class="right">3.0 s</td><td class="right">1.2k</td><td class="right">$0.02</td></tr>
    </tbody>
    </table></div>
    <p>Failing tests: 7 → 0</p>
    <svg width="88" viewBox="0 0 40 100" preserveAspectRatio="none" role="img" aria-label="Failing tests by iteration: 7 → 0"><rect x="0" y="0" width="8" height="100"><title>0: 7</title></rect><rect x="10" y="43" width="8" height="57"><title>1: 4</title></rect><rect x="20" y="86" width="8" height="14"><title>2: 1</title></rect><rect x="30" y="99" width="8" height="1"><title>3: 0</title></rect></svg></section>
    <details><summary>Last output</summary><blockquote><p>All green.</p></blockquote></details>
    </main>
    </body>
    </html>
    "
  `);
});

test("a gate shows its text and how to answer it", () => {
  const text = html(summarizeEvents(waitingRun("Go <b>on</b>?")));
  expect(text).toContain("Go &lt;b&gt;on&lt;/b&gt;?");
  expect(text).toContain("until-green approve fix-tests-7f3a");
});

test("what an agent wrote is text, never markup", () => {
  const output = `</pre><script>alert("1")</script><a href='x'>`;
  const text = html(summarizeEvents(eventsOf(runStarted, { ...runEnded(0), output } as RunEventBody)));
  expect(text).toContain("&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)");
});

test("a run that is paused for lack of time says how to continue", () => {
  const rests: RunEventBody = { type: "run.paused", stop_reason: "time-limit", gates: [] };
  expect(html(summarizeEvents(eventsOf(runStarted, rests)))).toContain("until-green resume fix-tests-7f3a");
});

test("an agent's paragraphs flow, and its code and lists are shown as such", () => {
  const output =
    "I changed `a<b>.js`\nand saved.\n\nDone:\n- one `\n- two\n\n```js\nif (a)\n  b();\n```\n<b>";
  const details: ReportDetails = {
    iterations: new Map([["/fix#3", { reply: output, tail: "" }]]),
    nodes: [],
    diffs: new Map(),
  };
  expect(html(summarizeEvents(greenRun), details)).toContain(
    "<blockquote><p>I changed <code>a&lt;b&gt;.js</code> and saved.</p><p>Done:<br>- one `<br>- two</p>" +
      "<pre>if (a)\n  b();</pre><p>&lt;b&gt;</p></blockquote>",
  );
});

test("a check's last lines are open where it failed and folded where it passed", () => {
  const tailOf = (number: number) => [`/fix#${number}`, { reply: "", tail: `tail ${number}` }] as const;
  const text = html(summarizeEvents(greenRun), {
    iterations: new Map([tailOf(2), tailOf(3)]),
    nodes: [],
    diffs: new Map(),
  });
  expect(text).toContain("<h4>Last lines of the check</h4><pre>tail 2</pre>");
  expect(text).toContain("<summary>Last lines of the check</summary><pre>tail 3</pre></details>");
});
