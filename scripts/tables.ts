import { readFileSync, writeFileSync } from "node:fs";
import { inputTable, outputTable, withInputs } from "./tables/action.ts";
import { acpTable, agentTable } from "./tables/agents.ts";
import { commandTable } from "./tables/commands.ts";
import { compatibilityTable, languages, loadDialects } from "./tables/compatibility.ts";
import { honestWorkTable } from "./tables/honest-work.ts";
import { jobList, jobTable } from "./tables/jobs.ts";
import { keyTable, keyTables } from "./tables/keys.ts";
import { modelTable } from "./tables/models.ts";
import { codeTable, reasonTable, variableTable } from "./tables/words.ts";

/** Pages with tables that are generated from the sources. */
export const pages: readonly string[] = [
  "README.md",
  "docs/writing-loops.md",
  "docs/loop-reference.md",
  "docs/action.md",
  "docs/app.md",
  "docs/agents.md",
  "docs/compatibility.md",
  "docs/honest-green.md",
  "examples/jobs/README.md",
];

const tables: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(Object.entries(keyTables).map(([name, it]) => [name, () => keyTable(it)])),
  ...Object.fromEntries(languages.map((it) => [`compatibility-${it}`, () => compatibilityTable(it)])),
  reasons: reasonTable,
  agents: agentTable,
  "acp-programs": acpTable,
  commands: commandTable,
  jobs: jobTable,
  "job-list": jobList,
  models: modelTable,
  diagnostics: codeTable,
  variables: variableTable,
  "honest-work": honestWorkTable,
  "action-inputs": inputTable,
  "action-outputs": outputTable,
};

export const tableNames: readonly string[] = Object.keys(tables);

/** A page with its tables generated again: everything between `<!-- table: NAME -->` and `<!-- /table -->`. */
export function withTables(page: string): string {
  return page.replaceAll(marked, (_, name: string) => {
    const write = tables[name];
    if (write === undefined) throw new Error(`there is no table ${name}; there are ${tableNames.join(", ")}`);
    return `<!-- table: ${name} -->\n${write()}\n<!-- /table -->`;
  });
}

/** The names of the tables on a page. */
export const tablesOn = (page: string): readonly string[] =>
  [...page.matchAll(marked)].map(([, name = ""]) => name);

const marked = /<!-- table: ([\w-]+) -->[\s\S]*?<!-- \/table -->/g;

/** Each generated file, and how to write it again. */
export const generated: readonly (readonly [file: string, write: (text: string) => string])[] = [
  ["action.yml", withInputs],
  ...pages.map((page) => [page, withTables] as const),
];

if (import.meta.main) {
  await loadDialects();
  for (const [page, write] of generated) {
    const before = readFileSync(page, "utf8");
    const after = write(before);
    if (after !== before) writeFileSync(page, after);
    console.log(`${page}: ${after === before ? "as it was" : "written"}`);
  }
}
