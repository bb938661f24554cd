import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Case, casesIn, expectEvents } from "../dialects/case-files.ts";
import { openRepository } from "./command-line.ts";

const cases = casesIn(new URL("../dialects/native/cases/", import.meta.url));

describe("what native files promise, through the command line", () => {
  test.each(cases)("$rule", async (it) => {
    const { cwd, untilGreen } = openRepository({ files: filesOf(it) });
    const run = [
      "run",
      "w.yml",
      it.options.message,
      "--agent",
      "scripted:script.json",
      "--run-id",
      "the-run",
    ];
    let result = await untilGreen(...run);
    const events = [...result.events];
    for (const [word = "", ...args] of it.expect.answers) {
      expect(result.code, result.stderr).toBe(3);
      result = await untilGreen(word, "the-run", ...args);
      events.push(...result.events);
    }
    expectEvents(events, it);
    if (it.expect.exit !== undefined) expect(result.code, result.stderr).toBe(it.expect.exit);
    for (const [word, code] of Object.entries(it.expect.afterwards))
      expect((await untilGreen(word, "the-run")).code, word).toBe(code);
    for (const [name, text] of Object.entries(it.expect.files)) {
      const path = join(cwd, name);
      expect(existsSync(path) ? readFileSync(path, "utf8") : null, name).toBe(text);
    }
  });
});

const filesOf = ({ source, script, workflows, files }: Case) => ({
  ...files,
  ...Object.fromEntries(Object.entries(workflows).map(([name, text]) => [`${name}.yml`, text])),
  "w.yml": source,
  "script.json": JSON.stringify(script),
});
