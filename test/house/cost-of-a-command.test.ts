import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const commands = "src/decisions/commands";

/** A command that answers, and one that records a message to a step: what their one file holds. */
const cheer = `import { general } from "./command.ts";

export const cheer = general({
  name: "cheer",
  takes: "[name]",
  group: "look",
  doc: "says something kind",
  read: (text) => ({ who: text }),
  act: (host, { who }) => host.reply(\`Well done, \${who}!\`),
});
`;
const hurry = `import { provenance } from "../statement.ts";
import { unfinishedRuns } from "./applies-to.ts";
import { aboutRun } from "./command.ts";

export const hurry = aboutRun({
  name: "hurry",
  takes: "",
  group: "go on",
  doc: "asks the step \`fix\` to come to an end",
  who: "commanders",
  appliesTo: unfinishedRuns,
  event: "run.messaged",
  says: () => true,
  decide: (_, said) => ({
    record: { type: "run.messaged", at: said.at, to: "fix", from: said.by, text: "hurry", ...provenance(said) },
  }),
});
`;

/** Says in the copy what the app, the log and the docs make of the command. */
const look = `
import { readFileSync } from "node:fs";
import { withTables } from "./scripts/tables.ts";
import { decide } from "./src/decisions/decide.ts";
import { parseComment } from "./src/decisions/parse-comment.ts";
import { commandNamed } from "./src/decisions/commands/table.ts";
import { parseConfig } from "./src/issue-ops/config.ts";
import { onComment } from "./src/issue-ops/on-comment.ts";

const name = process.argv[2];
const replies = [];
const api = {
  request: async (route, { body }) => {
    if (body !== undefined) replies.push(body);
    return { status: 201, data: {} };
  },
};
const site = {
  api, owner: "octocat", repo: "hello", count: () => undefined, now: () => "2026-01-01T00:00:00.000Z",
  login: async () => "app", config: async () => parseConfig(""), role: async () => "write",
};
const comment = { id: 1, pull: 1, by: "ada", author: "bob", at: site.now(), isBot: false };
const say = (body) => onComment(site, { ...comment, body });
await say("/workflow help");
if (commandNamed(name).about === "all") await say("/workflow " + name + " Ada");
const view = { run: "fix-1", state: "running", waits: false, gates: [], decided: [], steps: undefined };
const said = { kind: name, by: "ada", text: "", at: site.now(), since: 0 };
console.log(JSON.stringify({
  parsed: parseComment("/workflow " + name),
  replies,
  decision: commandNamed(name).about === "run" ? decide(view, said) : undefined,
  docs: withTables(readFileSync("docs/app.md", "utf8")),
}));
`;

let copy = "";
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** A copy of the sources with the command added to it by one file and one line. */
function withCommand(name: string, file: string) {
  copy = mkdtempSync(join(tmpdir(), "cost-of-a-command-"));
  for (const path of [
    "src",
    "action",
    "scripts",
    "docs/app.md",
    "action.yml",
    "package.json",
    "test/real-agents/limits.ts",
  ])
    cpSync(path, join(copy, path), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, commands, `${name}.ts`), file);
  appendFileSync(join(copy, commands, "index.ts"), `export { ${name} } from "./${name}.ts";\n`);
  writeFileSync(join(copy, "look.mjs"), look);
  return JSON.parse(execFileSync(process.execPath, ["look.mjs", name], { cwd: copy, encoding: "utf8" }));
}

test("a comment command that answers costs one file and one line: parsed, in the help and the docs, answered", () => {
  const { parsed, replies, docs } = withCommand("cheer", cheer);
  expect(parsed).toEqual({ kind: "cheer", who: "" });
  expect(replies[0]).toContain("| `/workflow cheer [name]` | says something kind |");
  expect(replies[1]).toContain("Well done, Ada!");
  expect(docs).toContain("| `/workflow cheer [name]` | says something kind |");
  expect(readFileSync("docs/app.md", "utf8")).not.toContain("cheer");
});

test("a comment command that decides costs one file and one line: parsed, in the help and the docs, decided", () => {
  const { parsed, replies, docs, decision } = withCommand("hurry", hurry);
  expect(parsed).toMatchObject({ kind: "hurry", text: "" });
  const row = "| `/workflow hurry [run-id]` | asks the step `fix` to come to an end |";
  expect(replies[0]).toContain(row);
  expect(docs).toContain(row);
  expect(decision).toMatchObject({ record: { type: "run.messaged", to: "fix", from: "ada", text: "hurry" } });
});
