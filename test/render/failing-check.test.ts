import { expect, test } from "vitest";
import { failingCheckLines, failingCheckMarkdown, failingTestHtml } from "../../src/render/failing-check.ts";

const check = (tests: number) => ({
  because: "exit 1",
  count: tests,
  tail: "FAIL",
  failing: Array.from({ length: tests }, (_, at) => ({ name: `t${at + 1}`, message: `${at} <> @bob` })),
});

test("a terminal shows failing tests with their messages", () => {
  expect(failingCheckLines(check(2)).slice(1, 4)).toEqual([
    "❌ 2 tests failing (exit 1)",
    "  ✘ t1: 0 <> @bob",
    "  ✘ t2: 1 <> @bob",
  ]);
});

test("a page shows five failing tests and folds the others; their messages stay text", () => {
  const text = failingCheckMarkdown(check(8));
  expect(text).toContain("- `t1`: 0 &lt;&gt; @&#8203;bob\n");
  const [unfolded, folded] = text.split("<details><summary>3 more failing tests</summary>");
  expect(unfolded).toContain("- `t5`");
  expect(unfolded).not.toContain("- `t6`");
  expect(folded).toContain("- `t8`");
  expect(failingCheckMarkdown(check(6))).not.toContain("more failing tests");
  expect(failingTestHtml({ name: "<a>", message: "1 < 2" })).toBe(
    "<li><code>&lt;a&gt;</code>: 1 &lt; 2</li>",
  );
});
