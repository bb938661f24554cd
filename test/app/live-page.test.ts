import { env } from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";
import { browserMissing, openBrowser } from "../parts/browser.ts";

const run = "fix-tests-0a1b2c3d";
const missing = browserMissing();
const usage = (input_tokens: number, cost_usd: number) => ({ input_tokens, output_tokens: 3_100, cost_usd });
const stop = (failing: number) => ({
  path: "/fix#1?1",
  kind: "until-bash",
  verdict: failing === 0 ? "done" : "go-on",
  because: failing === 0 ? "exit 0" : "exit 1",
  failing,
});

function row(number: number, failing: number, more: object = {}) {
  return {
    number,
    startedAt: "2026-03-01T10:00:00.000Z",
    durationMs: 61_000 + number * 17_000,
    stops: [stop(failing)],
    diff: { files: number + 1, added: 34 - number * 5, removed: 6 + number, paths: [] },
    failing,
    snapshot: String(number).repeat(40),
    since: String(number - 1).repeat(40),
    usage: usage(21_400 * number, 0.11 * number),
    ...more,
  };
}

const working = (number: number) =>
  row(number, 0, { durationMs: undefined, stops: [], diff: undefined, failing: undefined });

type Row = ReturnType<typeof row>;

/** The run's usage is that of its iterations. */
const sumOf = (rows: readonly Row[]) => ({
  input_tokens: rows.reduce((all, { usage: { input_tokens } }) => all + input_tokens, 0),
  output_tokens: rows.reduce((all, { usage: { output_tokens } }) => all + output_tokens, 0),
  cost_usd: rows.reduce((all, { usage: { cost_usd } }) => all + cost_usd, 0),
});

/** The summary of a run after some iterations. */
function stands(rows: readonly Row[], more: object = {}): object {
  return {
    agent: "claude",
    startedAt: "2026-03-01T10:00:00.000Z",
    activeMs: 300_000,
    iterations: rows.length,
    usage: sumOf(rows),
    loops: {
      first: [
        {
          path: "/fix",
          node: "fix",
          mode: "repeat",
          most: 10,
          status: "running",
          iterations: rows.length,
          before: stop(7),
          rows: { first: rows, left: 0, last: [] },
        },
      ],
      left: 0,
      last: [],
    },
    ...more,
  };
}

test.skipIf(missing !== undefined)(
  `a page that is open while its run continues is updated in a real browser${missing === undefined ? "" : ` (${missing})`}`,
  { timeout: 120_000 },
  async () => {
    const { github, home } = await openAppRepository(undefined, { everyMs: 50 });
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, deviceScaleFactor: 1.5 });
    const faults: string[] = [];
    page.on("pageerror", ({ message }) => void faults.push(message));
    const seed = (summary: object, more: object = {}) =>
      seedRun(github, { run, origin: { pull: 1 }, state: "running", gates: [], ...more, summary });
    const reads = async (text: string) =>
      await page.waitForSelector(`main:has-text(${JSON.stringify(text)})`, { timeout: 20_000 });

    seed(stands([row(1, 5), working(2)]));
    await page.goto(`${home.origin}/runs/octocat/hello/${run}`);
    await reads("Iteration 2");
    await page.waitForSelector('#live:text-is("live")', { timeout: 20_000 });

    seed(stands([row(1, 5), row(2, 2), working(3)]));
    await reads("❌ 2 tests failing (exit 1)");
    expect(await page.locator(".line > li").count()).toBe(3);

    const evil = "Is this the way?\n<img src=x onerror=\"document.title='evil'\">";
    seed(stands([row(1, 5), row(2, 2)], { output: evil }), { state: "paused", gates: [{ question: evil }] });
    await reads("Waiting for you");
    expect(await page.locator("main img, main script").count()).toBe(0);
    await page.locator("main > details summary").click();

    const gate = "Two tests still fail, both about time zones.\nShall I change the fixture, or the parser?";
    seed(stands([row(1, 5), row(2, 2), row(3, 1)], { output: "I changed the parser only." }), {
      state: "paused",
      gates: [{ path: "/fix#3", question: gate }],
    });
    await reads("time zones");
    expect(await page.locator("details[open]").count()).toBe(1);
    await picture("run-page.png");
    await page.emulateMedia({ colorScheme: "dark" });
    await picture("run-page-dark.png");
    // A phone.
    await page.setViewportSize({ width: 390, height: 800 });
    await picture("run-page-phone.png");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);

    seed(stands([row(1, 5), row(2, 2), row(3, 0)]), { state: "ended" });
    await reads("Succeeded");
    await page.waitForSelector('#live:text-is("this run has ended")', { timeout: 20_000 });
    expect(await page.title()).toContain("Succeeded");
    expect(faults).toEqual([]);

    /** Drawn anew only where somebody asks for it. */
    async function picture(name: string): Promise<void> {
      const folder = env["UNTIL_GREEN_PICTURES"];
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}`, fullPage: true });
    }
  },
);
