/**
 * Makes the everyday changes of CONTRIBUTING.md in a copy of the sources, with no more files than it promises, and
 * uses what they add.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChangedCopy } from "./changed-copy.ts";

describe("a new stop condition costs its own file and its line in the list of stops", () => {
  let copy: ChangedCopy;

  beforeAll(() => {
    copy = new ChangedCopy();
    copy.add("src/stops/lines.ts", shown("Add a stop"));
    copy.insert("src/stops/index.ts", {
      'import type { StopDescription } from "./stop.ts";': 'import { lines } from "./lines.ts";\n',
      "};\n\ntype Stop =": "  lines,\n",
    });
    copy.write("good.yml", workflow("until_lines: 3"));
    copy.write("text.yml", workflow("until_lines: many"));
    copy.write("one.yml", workflow("until_lines: 1"));
    copy.write("blank.yml", workflow("until_lines:"));
    copy.write("list.yml", workflow("until_lines: 3\n      for_each: [a]"));
  });

  afterAll(() => copy[Symbol.dispose]());

  test("and its types are right", async () => {
    expect(copy.changed).toEqual(["src/stops/lines.ts", "src/stops/index.ts"]);
    expect(await copy.types()).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a loop ends by it, and events and status say so", async () => {
    const agent = "command:cat > prompt; echo more >> lines; cat lines";
    const run = await copy.untilGreen(
      ...["run", "good.yml", "--agent", agent, "--isolation", "off", "--json"],
    );
    expect(run).toMatchObject({ code: 0 });
    const events = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const tested = events.filter(({ type }) => type === "stop.tested");
    expect(tested.map(({ kind, verdict, because }) => [kind, verdict, because])).toEqual([
      ["lines", "go-on", "the output has 1 of 3 lines"],
      ["lines", "go-on", "the output has 2 of 3 lines"],
      ["lines", "done", "the output has 3 of 3 lines"],
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "run.ended",
      conclusion: "success",
      stop_reason: "lines",
      iterations: 3,
    });
    const { stdout } = await copy.untilGreen("status");
    expect(stdout).toContain("succeeded: the output was long enough");
    expect(stdout).toContain("✅ the output has 3 of 3 lines");
    expect((await copy.untilGreen("plan", "good.yml")).stdout).toContain("until the output is long enough");
  });

  test("check refuses a wrong value of its key, and names the key", async () => {
    const said = await copy.untilGreen("check", "text.yml", "one.yml", "blank.yml", "list.yml");
    expect(said.code).toBe(2);
    const all = said.stdout + said.stderr;
    expect(all).toContain("`nodes[0].loop.until_lines` must be a number.");
    expect(all).toContain("`until_lines: 1` is met by any output.");
    expect(all).toContain("Write at least 2.");
    expect(all).toContain("`until_lines` is blank.");
    expect(all).toContain("`until_lines` cannot be combined with `for_each`");
  });

  test("the tables of the docs and the schema for editors have its key, and the reasons its reason", async () => {
    const { stdout } = await copy.printed(`
      import { keyTable, keyTables } from "./scripts/tables/keys.ts";
      import { reasonTable } from "./scripts/tables/words.ts";
      import { schemas } from "./scripts/schemas.ts";
      console.log(keyTable(keyTables["loop-keys"]));
      console.log(reasonTable());
      console.log(JSON.stringify(schemas.native.definitions.loop.properties.until_lines));
      console.log(JSON.stringify(schemas.native.definitions.loop.then));`);
    expect(stdout).toContain("| `until_lines` | 1 … 1000 |  | Done when the output has this many lines. |");
    expect(stdout).toContain("| success | `lines` | the output was long enough | `until_lines` |");
    const schema = { description: "Done when the output has this many lines.", type: "integer" };
    expect(stdout).toContain(JSON.stringify({ ...schema, maximum: 1000, minimum: 1 }));
    expect(stdout).toContain('{"required":["until_lines"]}');
  });
});

test("a new stop that runs a script costs no more: check parses the script as that of any other", async () => {
  using copy = new ChangedCopy();
  copy.add("src/stops/probe.ts", probe);
  copy.insert("src/stops/index.ts", {
    'import type { StopDescription } from "./stop.ts";': 'import { probe } from "./probe.ts";\n',
    "};\n\ntype Stop =": "  probe,\n",
  });
  copy.write("open.yml", workflow("until_probe: if true"));
  copy.write("unknown.yml", workflow("until_probe: test $none.output"));
  const said = await copy.untilGreen("check", "open.yml", "unknown.yml");
  expect(said.code).toBe(2);
  expect(said.stdout + said.stderr).toContain("open.yml:7:20 error BAD_SHELL");
  expect(said.stdout + said.stderr).toContain("There is no node `none`.");
});

const probe = `import { z } from "zod";
import { boundScript } from "../expressions/render.ts";
import { shellText } from "../expressions/template.ts";
import { askingStop } from "./stop.ts";
import { forms } from "./stop-key.ts";

export const probe = askingStop({
  spec: z.strictObject({ kind: z.literal("probe"), script: shellText }),
  words: { name: "probe", until: "the probe answers", ended: "the probe answered" },
  key: {
    name: "until_probe",
    cost: 11,
    meaning: "Done when this script exits 0.",
    holds: forms.shell,
    spec: (script) => ({ kind: "probe", script }),
  },
  port: "shell",
  ask: ({ script }, { scope }) => ({ role: "check", ...boundScript(script, scope), timeoutMs: 1000 }),
  read: (_, { exitCode }) => ({ verdict: exitCode === 0 ? "done" : "go-on", because: \`exit \${exitCode}\` }),
});
`;

/** The code that CONTRIBUTING.md shows under a heading. */
function shown(heading: string): string {
  const [, section = ""] = readFileSync("CONTRIBUTING.md", "utf8").split(`### ${heading}\n`);
  const [, code = ""] = /```ts\n(.*?)```/s.exec(section) ?? [];
  return code.replaceAll(/^ {3}/gm, "");
}

const workflow = (stop: string) => `name: made-up
nodes:
  - id: write
    loop:
      prompt: Write one more line.
      max_iterations: 5
      ${stop}
`;
