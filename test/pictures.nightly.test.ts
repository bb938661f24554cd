import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingForPictures, type Seen } from "../scripts/pictures/draw.ts";
import { makePictures } from "../scripts/pictures.ts";

const missing = missingForPictures();
const scrolls = /^(PRE|CODE) /;
const title = missing === undefined ? "the pictures" : `the pictures (skipped: ${missing})`;

describe.skipIf(missing !== undefined)(title, () => {
  let folder = "";
  let seen: ReadonlyMap<string, Seen> = new Map();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pictures-"));
    seen = await makePictures(folder);
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const of = (name: string): Seen => {
    const one = seen.get(name);
    if (one === undefined) throw new Error(`there is no picture ${name}`);
    return one;
  };

  test("are small enough for a page", () => {
    const sizes = [...seen.keys()].map((name) => [name, statSync(join(folder, `${name}.png`)).size] as const);
    expect(sizes.length).toBeGreaterThanOrEqual(7);
    expect(sizes.filter(([, size]) => size > 200 * 1024)).toEqual([]);
  });

  test("show nothing that runs out of the page, no markup that was meant to be read by a machine, and no script", () => {
    for (const [name, { overflowing, text, scripts, openDetails }] of seen) {
      // On a phone GitHub lets code scroll aside; nothing else may, nor a command that people copy.
      const cut = name.endsWith("-phone")
        ? overflowing.filter((part) => !scrolls.test(part) || part.includes("/workflow "))
        : overflowing;
      expect({ name, cut, scripts, openDetails }).toEqual({
        name,
        cut: [],
        scripts: 0,
        // The last iteration of the report is open.
        openDetails: name.startsWith("report") ? 1 : 0,
      });
      expect(text, name).not.toMatch(/<!--|xychart|&lt;|\[!WARNING|\|\s*--|^#+ /m);
    }
  });

  test.each([
    "comment-waiting",
    "comment-waiting-dark",
    "comment-waiting-phone",
    "check-waiting",
    "check-waiting-dark",
    "check-waiting-phone",
  ])("show in %s a row for each iteration, no chart of so few points, and how to answer", (name) => {
    const { tables, charts, text } = of(name);
    expect(tables.map((rows) => rows.map(([number]) => number))).toEqual([["#", "1", "2"]]);
    expect(tables[0]?.map((row) => row[1]?.split("·")[0]?.replaceAll(/\s+/g, " ").trim())).toEqual([
      "result",
      "❌ 5 → 3 failing",
      "❌ 3 → 1 failing",
    ]);
    expect(charts).toEqual([]);
    expect(text).toContain("Is this the right way?");
    expect(text).toContain("To answer, post this as a new comment:");
    expect(text).toContain("/workflow approve 0a1b2c3d");
    expect(text).not.toContain("until-green approve");
  });

  test("show on a phone's screen what is asked, how to answer, and why the check failed", () => {
    for (const name of ["comment-waiting-phone", "check-waiting-phone"])
      expect(of(name).height, name).toBeLessThanOrEqual(950);
  });

  test("show no buttons in a job's check, because no one would receive them", () => {
    expect(of("check-waiting").text).not.toMatch(/Approve\s*Reject\s*Stop/);
  });

  test("show a run that became green, in three jobs, with what it cost", () => {
    for (const name of ["comment-green", "comment-green-dark", "comment-green-phone"]) {
      const { tables, text } = of(name);
      expect(tables[0]).toHaveLength(4);
      expect(text).toContain("✅ fix-with-me succeeded: the check passed");
      expect(text).toContain("$0.24");
    }
  });

  test("show in the summary and in the report that a changed test was restored", () => {
    for (const name of ["summary", "summary-dark", "summary-phone", "report", "report-dark"]) {
      const { tables, charts, text, details } = of(name);
      expect(tables[0]).toHaveLength(5);
      expect(charts).toHaveLength(1);
      expect(details).toBeGreaterThan(0);
      expect(text).toContain("test/csv.test.js");
    }
  });
});
