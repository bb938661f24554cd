import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { generated, pages, tableNames, tablesOn } from "../scripts/tables.ts";
import { readScript } from "../src/agents/scripted-replies.ts";
import { help, version } from "../src/cli/help.ts";
import { compile } from "../src/compile/compile.ts";
import { agentFault } from "../src/ports/agent.ts";
import { noFiles } from "./dialects/native/files.ts";

const docs = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "src/README.md",
  // What a job repairs is broken on purpose.
  ...globSync("{docs,examples}/**/*.md", { exclude: ["examples/jobs/*/project/**"] }),
];

test("the README is short enough to be read: 900 words with its code and tables", () => {
  expect(read("README.md").trim().split(/\s+/).length).toBeLessThanOrEqual(900);
});

describe("the tables", () => {
  // The table of keys compiles hundreds of workflows.
  const timeout = 120_000;
  test.each(generated)(
    "of %s say what the sources say; if not: npm run tables",
    { timeout },
    (page, write) => {
      const text = read(page);
      expect(write(text)).toBe(text);
    },
  );

  test("are all on a page", () => {
    const shown = new Set(pages.flatMap((page) => tablesOn(read(page))));
    expect(tableNames.filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe.each(docs)("the page %s", (page) => {
  test("links only to files and headings that exist", () => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });
});

test("only code is searched for commands, so that prose can name the product", () => {
  const text = "until-green decides. Use `until-green\nlst --all`:\n\n```\nuntil-green rn fix\n```\n";
  expect(commandLinesIn(text).map(([line]) => line)).toEqual(["until-green rn fix", "until-green lst --all"]);
});

test.each(docs.filter((page) => commandLinesIn(read(page)).length > 0))(
  "the page %s names only commands and options that exist",
  (page) => {
    const known = `${help}\n${read("src/cli/program.ts")}`;
    for (const [line, command = "", rest = ""] of commandLinesIn(read(page))) {
      expect(help, line).toMatch(new RegExp(`^  ${command}\\b`, "m"));
      for (const [option] of rest.matchAll(/--[a-z][a-z-]*/g)) expect(known, line).toContain(option);
    }
  },
);

test.each(docs.filter((page) => workflowsOf(page).length > 0))(
  "the page %s shows only workflows that pass the check without a warning",
  (page) => {
    for (const text of workflowsOf(page)) {
      expect(compile({ text, file: page }, noFiles)).toMatchObject({ ok: true, warnings: [] });
    }
  },
);

test.each(docs.filter((page) => sessionsOf(page).length > 0))(
  "the page %s shows only sessions that the scripted agent can read",
  (page) => {
    for (const text of sessionsOf(page)) expect(() => readScript({ text })).not.toThrow();
  },
);

test("the README contains the two commands for a fresh machine", () => {
  for (const line of ["npm ci && npm run demo", "npm ci && npm test"]) {
    expect(read("README.md")).toContain(`\`\`\`\n${line}\n\`\`\``);
  }
});

const sayings = [
  "README.md",
  "SECURITY.md",
  "action.yml",
  ...globSync("{docs,examples,src,action,app}/**/*.{md,yml,ts}"),
];

test("says nowhere that GitHub starts no workflows for GITHUB_TOKEN: those of pull requests wait for approval", () => {
  const old = /starts? no workflows|do not trigger workflows|runs no checks on the pull request/;
  expect(sayings.filter((file) => old.test(read(file).replace(/\s+(?:\*|#|\/\/)?\s*/g, " ")))).toEqual([]);
});

test("the page about the command line names every command that help names", () => {
  const commands = [...help.matchAll(/^ {2}([a-z]+) (?!loop:)/gm)].map(([, command]) => command);
  const text = read("docs/command-line.md");
  expect(commands.filter((command) => !text.includes(`\`until-green ${command}`))).toEqual([]);
});

test("the version of the help is that of the package", () => {
  expect(version).toBe((JSON.parse(read("package.json")) as { version: string }).version);
});

test("the package names its repository, without which npm refuses its provenance", () => {
  const { repository } = JSON.parse(read("package.json")) as { repository?: { url?: string } };
  expect(repository?.url).toBe("git+https://github.com/until-green/until-green.git");
});

test("the page about events names every notice of a run", () => {
  const sources = ["engine", "stops", "agents"].flatMap((room) => globSync(`src/${room}/**/*.ts`));
  const codes = sources.flatMap((file) =>
    [...read(file).matchAll(/\bcode: "([A-Z_]+)"/g)].map(([, code = ""]) => code),
  );
  const page = read("docs/events.md");
  expect(codes.length).toBeGreaterThan(20);
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});

test("the page about events names every class of an agent's failure", () => {
  const page = read("docs/events.md");
  // A missing program fails no call: it stops the run.
  const documented = agentFault.options.filter((fault) => fault !== "missing");
  expect(documented.filter((fault) => !page.includes(`| \`${fault}\` |`))).toEqual([]);
});

test("the map names every folder of the sources, and no other", () => {
  const folders = globSync(["src/**/", "action/*/"], { exclude: (name) => name === "node_modules" })
    .filter((folder) => globSync(`${folder}/*.ts`).length > 0)
    .map((folder) => folder.replace(/^src\//, "").replace(/\/$/, ""))
    .filter((folder) => folder !== "src");
  const named = [...read("src/README.md").matchAll(/^\| `([\w/-]+)\/` \|/gm)].map(
    ([, folder = ""]) => folder,
  );
  expect(named.toSorted()).toEqual(folders.toSorted());
});

test("the map names only files that exist", () => {
  const named = [...read("src/README.md").matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)].map(
    ([, path = ""]) => path,
  );
  const missing = named.filter(
    (path) => !path.includes("NAME") && !existsSync(path) && !existsSync(join("src", path)),
  );
  expect(missing).toEqual([]);
});

function linksOf(page: string): readonly string[] {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", heading] = link.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(file).includes(heading);
}

/** The names under which GitHub links to the headings of a page. */
function headingsOf(page: string): readonly string[] {
  const headings = read(page).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

function commandLinesIn(text: string) {
  return codeIn(text).flatMap((code) => [...code.matchAll(/\buntil-green ([a-z]+)\b([^\n`|]*)/g)]);
}

/** The fenced blocks of a page, and its code spans, each on one line. */
function codeIn(text: string): readonly string[] {
  const fence = /^ *(```+)[^\n]*\n[\s\S]*?^ *\1 *$/gm;
  const blocks = [...text.matchAll(fence)].map(([block]) => block);
  const spans = [...text.replaceAll(fence, "").matchAll(/`(?:[^`\n]|\n(?!\s*\n))+`/g)].map(([span]) => span);
  return [...blocks, ...spans.map((span) => span.replaceAll(/\s+/g, " "))];
}

function workflowsOf(page: string) {
  return yamlOf(page).filter((text) => /^nodes:/m.test(text));
}

function sessionsOf(page: string) {
  return yamlOf(page).filter((text) => /^replies:/m.test(text));
}

function yamlOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
