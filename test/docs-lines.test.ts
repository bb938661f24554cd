import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { examplesOf } from "../src/cli/examples.ts";
import { help } from "../src/cli/help.ts";
import { commandLine } from "../src/cli/program.ts";

// What a reader copies from a page must be taken by the product as it is today.

const pages = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...globSync("{docs,examples}/**/*.md")];

describe("the help", () => {
  const names = commandLine(() => undefined).commands.map((command) => command.name());

  test("fits a terminal of 80 columns", () => {
    const texts = [
      help,
      ...names.map((name) => helpOf(name)),
      ...names.flatMap((name) => examplesOf(name).map((line) => `  ${line}`)),
    ];
    const lines = texts.flatMap((text) => text.split("\n"));
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  });

  test("shows only examples that the command line takes", () => {
    const shown = [...help.matchAll(/^ {2}(until-green .*)$/gm)].map(([, line = ""]) => line);
    expect(shown.length).toBeGreaterThan(2);
    for (const line of [...shown, ...names.flatMap((name) => examplesOf(name))])
      expect(refusal(line), line).toBeUndefined();
  });

  test("of a command explains each of its options, and says how to write those that repeat", () => {
    for (const name of names) expect(helpOf(name), name).not.toMatch(/^ {2}-\S+(?: <\w+>)?$/m);
  });
});

test.each(pages.filter((page) => commandsOn(page).length > 0))(
  "the command line takes each line that the page %s shows",
  (page) => {
    const refused = commandsOn(page).flatMap((line) => refusal(line) ?? []);
    expect(refused).toEqual([]);
  },
);

test.each(pages.filter((page) => stepsOn(page).length > 0))(
  "the action has each input that the page %s sets",
  (page) => {
    const { inputs } = parse(read("action.yml")) as { inputs: object };
    const unknown = stepsOn(page).flatMap((step) => Object.keys(step).filter((name) => !(name in inputs)));
    expect(unknown).toEqual([]);
  },
);

test.each(pages.filter((page) => yamlOn(page).length > 0))(
  "each block of YAML on the page %s is YAML",
  (page) => {
    for (const text of yamlOn(page)) expect(() => parse(text), text).not.toThrow();
  },
);

test("each message that the troubleshooting page quotes is one that the product prints", () => {
  const sources = globSync(["action.yml", "{src,action,app}/**/*.ts"])
    .map(read)
    .join("\n")
    // A message may be written in several parts.
    .replaceAll(/["'`]\s*\+?\s*\n?\s*["'`]/g, "");
  const symptoms = [...read("docs/troubleshooting.md").matchAll(/^\| (.*?) \| /gm)].map(
    ([, cell = ""]) => cell,
  );
  const quoted = symptoms.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
  const parts = quoted.flatMap((text) => text.split(/…|\b[NM]\b/)).map((text) => text.trim());
  const messages = parts.filter(
    (text) => text.length > 2 && !notOurs.has(text) && !text.startsWith("/workflow"),
  );
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((text) => !writtenAs(text).test(sources))).toEqual([]);
});

/** A message in the sources, where a value may stand for a word of it. */
const writtenAs = (text: string) =>
  new RegExp(
    text
      .split(" ")
      .map((word) => `(?:${word.replaceAll(/[^\w]/g, "\\$&")}|\\$\\{[^}]*\\})`)
      .join(" "),
  );

/** What GitHub or git says. */
const notOurs = new Set(["Process completed with exit code 3", "git"]);

function read(path: string): string {
  return readFileSync(path, "utf8");
}

/** The command lines of a page: in its blocks of code and in its running text. */
function commandsOn(page: string): readonly string[] {
  const text = read(page);
  const blocks = [...text.matchAll(/^ *```(?:sh|console|bash)?\n([\s\S]*?)^ *```/gm)].flatMap(
    ([, block = ""]) => block.replaceAll("\\\n", " ").split("\n"),
  );
  const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`]+)`/g)].map(
    ([, span = ""]) => span.replaceAll(/\s+/g, " "),
  );
  return (
    [...blocks, ...spans]
      .map((line) => line.replace(/^\s*\$? ?(?:npx )?/, "").replace(/ (?:2>|[|>]) ?\S.*$/, ""))
      // A command's name alone is a mention.
      .filter((line) => /^until-green [a-z]+ \S/.test(line))
  );
}

/** What the command line says against a line, if anything. Nothing is run. */
function refusal(line: string): string | undefined {
  const program = commandLine(() => undefined);
  program.commands.forEach((command) => {
    command.action(() => undefined);
  });
  const args = wordsOf(line.replace(/^until-green /, ""));
  try {
    program.parse(args, { from: "user" });
    return undefined;
  } catch (error) {
    return `${line}: ${(error as Error).message}`;
  }
}

/** As a shell splits them. A placeholder for a number becomes one. */
function wordsOf(line: string): readonly string[] {
  return [...line.replace(/ # .*$/, "").matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, "").replace(/^N$/, "1"),
  );
}

function helpOf(name: string): string {
  const command = commandLine(() => undefined).commands.find((one) => one.name() === name);
  return command?.configureHelp({ ...command.configureHelp(), helpWidth: 80 }).helpInformation() ?? "";
}

function yamlOn(page: string): readonly string[] {
  return [...read(page).matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```/gm)].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** The inputs of each step of a page that uses the action. */
function stepsOn(page: string): readonly object[] {
  return yamlOn(page).flatMap((text) => {
    const found: object[] = [];
    collect(parse(text), found);
    return found;
  });
}

function collect(value: unknown, found: object[]): void {
  if (typeof value !== "object" || value === null) return;
  const { uses, with: inputs } = value as { uses?: unknown; with?: object };
  if (typeof uses === "string" && uses.startsWith("until-green/") && inputs !== undefined) found.push(inputs);
  for (const inner of Object.values(value)) collect(inner, found);
}
