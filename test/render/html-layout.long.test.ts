import { expect, onTestFinished, test } from "vitest";
import { html } from "../../src/render/html.ts";
import { summarizeEvents } from "../../src/status/run-summary.ts";
import { browserMissing, openBrowser } from "../parts/browser.ts";
import { greenRun } from "./run-events.ts";

const missing = browserMissing();

test.skipIf(missing !== undefined)(
  `the report shows all columns of a run's table${missing === undefined ? "" : ` (${missing})`}`,
  async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 960, height: 800 } });
    const long = "also in a fresh clone of the commit (2.5 s), and once more for each of its other tools";
    const text = html(summarizeEvents(greenRun)).replace("check passed</td>", `check passed · ${long}</td>`);
    expect(text).toContain(long);
    await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(text)}`);
    const hidden =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll'))";
    expect(await page.evaluate(hidden)).toBe(0);
    // A phone scrolls the table, not the page.
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  },
);
