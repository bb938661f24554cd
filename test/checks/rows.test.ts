import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTests } from "../../src/checks/inventory/read-tests.ts";
import { readSummaries, runners } from "../../src/checks/inventory/summaries.ts";
import { tools } from "../../src/checks/tools/index.ts";

const outputs = join(import.meta.dirname, "outputs");

test("each tool has one row", () => {
  const ids = tools.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

test.each(runners)(
  "the summary of $runner counts something, in groups with the names of counts",
  ({ summary }) => {
    const { line, words, labels, ...patterns } = summary;
    const groups = [...line.source.matchAll(/\(\?<(\w+?)\d*>/g)].map(([, name]) => name ?? "");
    const counted = [
      ...groups,
      ...Object.keys(patterns),
      ...(words ?? labels ?? []).filter((word) => word !== ""),
    ];
    expect(line.flags).toBe("gm");
    expect(counted.length).toBeGreaterThan(0);
    expect(groups.filter((name) => !["total", "passed", "failed", "skipped"].includes(name))).toEqual([]);
  },
);

test.each(readdirSync(outputs))("only the tools that printed %s find their summaries in it", (file) => {
  const text = readFileSync(join(outputs, file), "utf8");
  const found = runners.filter(({ summary }) => readSummaries(text, summary).all.length > 0);
  const read = readTests(text)?.runner.split(", ") ?? [];
  // With `-v`, prove repeats the TAP that it counts.
  if (read.includes("TAP")) read.push("prove");
  expect(found.map(({ runner }) => runner).filter((runner) => !read.includes(runner))).toEqual([]);
});
