import { expect, test } from "vitest";
import { ChangedCopy } from "./changed-copy.ts";

/** What the program, `action.yml` and the docs know of the input. */
const look = `
import { readFileSync } from "node:fs";
import { readInputs } from "./action/inputs/inputs.ts";
import { inputTable, withInputs } from "./scripts/tables/action.ts";

const read = (shout) => readInputs(JSON.stringify({ "until-bash": "make", shout }));
console.log(JSON.stringify({
  file: withInputs(readFileSync("action.yml", "utf8")),
  docs: inputTable(),
  given: read("loud").inputs?.shout,
  wrong: read("softly").faults,
}));`;

test("an input of the action costs its row: read, checked, declared in action.yml, and in the docs", async () => {
  using copy = new ChangedCopy();
  const row =
    'shout: input(choice("loud", "very-loud"), "How loud the report is.", { fallback: "loud" }),\n  ';
  copy.insert("action/inputs/groups/people.ts", { "notify:": row });
  const { stdout, stderr } = await copy.printed(look);
  expect(stderr).toBe("");
  const { file, docs, given, wrong } = JSON.parse(stdout);
  expect(file).toContain("  shout:\n    description: How loud the report is.\n    default: loud\n");
  expect(docs).toContain("| `shout` | `loud` | How loud the report is. |");
  expect(given).toBe("loud");
  expect(wrong).toEqual([expect.stringContaining("`shout: softly`")]);
  expect(copy.changed).toEqual(["action/inputs/groups/people.ts"]);
});
