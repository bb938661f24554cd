import { describe, expect, test } from "vitest";
import { compatibilityRows, languages } from "../../scripts/tables/compatibility.ts";

/** Keys that people and other programs read, and until-green does not. */
const forOthers: Readonly<Record<string, readonly string[]>> = {
  native: ["A node.description"],
  steps: ["A zenflow workflow.version"],
  blocks: [
    ...["version", "id", "kind"].map((key) => `A Runsight workflow.${key}`),
    ...["id", "kind", "name", "role", "modified_at", "assertions"].map((key) => `A soul.${key}`),
    ...["An exit.label", "A task of a dispatch.label"],
  ],
  loops: ["A workflow of mcp-cli.$schema", "A workflow of mcp-cli.version", "The loop of a step.name"],
};

describe.each(languages)("the keys of %s files", (language) => {
  const rows = compatibilityRows(language);
  const named = (use: string | undefined) =>
    rows.filter((row) => row.use === use).map(({ title, key }) => `${title}.${key}`);

  test("each is in a workflow of test/dialects/compatibility", () => {
    expect(named(undefined)).toEqual([]);
  });

  test("each changes the plan or is ignored with a warning, but for those that others read", () => {
    expect(named("nothing").toSorted()).toEqual((forOthers[language] ?? []).toSorted());
  });

  test("a key that the page says works is not called one without effect", () => {
    const works = rows.filter(({ use }) => use === "read");
    expect(works.filter(({ what }) => /^No effect/.test(what)).map(({ key }) => key)).toEqual([]);
  });

  test("a key that the page calls ignored says so", () => {
    const ignored = rows.filter(({ use }) => use === "warning");
    expect(ignored.filter(({ what }) => !/[Nn]o effect|Archon/.test(what)).map(({ key }) => key)).toEqual([]);
  });
});
