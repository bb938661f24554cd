import { glob as globFiles } from "node:fs/promises";
import { extname, isAbsolute } from "node:path";
import { placeInside } from "../workspace-file.ts";
import { namesIn, readWhole, writeWhole } from "./files.ts";
import { nearestLines } from "./nearest-lines.ts";
import {
  count,
  cut,
  numberOf,
  path,
  run,
  type ToolArguments,
  text,
  type WorkTool,
  wordOf,
  yes,
} from "./work-tool.ts";

/** The tools that look at files and change them: paths stay within the workspace. */
export const fileTools: Readonly<Record<string, WorkTool>> = {
  read: {
    description: "Reads a text file, with a number before each line; or an image (PNG, JPEG, GIF, WebP).",
    properties: { path, offset: count("The first line, from 1."), limit: count("How many lines.") },
    required: ["path"],
    isReading: true,
    async use(input, workshop) {
      const name = wordOf(input, "path");
      const mediaType = pictures[extname(name).toLowerCase()];
      const bytes = await readWhole(name, workshop);
      if (mediaType !== undefined) return pictureOf(bytes, mediaType);
      if (bytes.subarray(0, 8_192).includes(0)) return `(a binary file of ${bytes.length} bytes)`;
      const lines = bytes.toString("utf8").split("\n");
      const first = Math.max(1, numberOf(input, "offset") ?? 1);
      const shown = lines.slice(first - 1, first - 1 + (numberOf(input, "limit") ?? 2000));
      const last = first + shown.length - 1;
      const isPart = first > 1 || last < lines.length;
      const rest = `\n(lines ${first} to ${last} of ${lines.length}; use offset and limit for others)`;
      return `${cut(shown.map((line, index) => `${first + index}\t${line}`).join("\n"))}${isPart ? rest : ""}`;
    },
  },
  write: {
    description: "Writes a file, in place of what is there.",
    properties: { path, content: text("All of the file.") },
    required: ["path", "content"],
    async use(input, workshop) {
      const name = wordOf(input, "path");
      await writeWhole(name, wordOf(input, "content", ""), workshop);
      return `wrote ${name}`;
    },
  },
  edit: {
    description:
      "Replaces texts in a file: `old` by `new`, or each of `edits` one after the other, all of them or none. An old text must be there exactly once, unless `all` is true.",
    properties: {
      path,
      old: text("The text to replace, including spaces."),
      new: text("What stands there then."),
      all: yes("Replace every occurrence."),
      edits: {
        type: "array",
        description: "Several replacements, in place of `old` and `new`.",
        items: {
          type: "object",
          properties: { old: text("As above."), new: text("As above."), all: yes("As above.") },
          required: ["old", "new"],
        },
      },
    },
    required: ["path"],
    async use(input, workshop) {
      const name = wordOf(input, "path");
      const before = (await readWhole(name, workshop)).toString("utf8");
      const edits = Array.isArray(input["edits"]) ? (input["edits"] as readonly ToolArguments[]) : [input];
      let [after, replaced] = [before, 0];
      for (const [index, edit] of edits.entries()) {
        const which = edits.length > 1 ? `edit ${index + 1} of ${edits.length}, nothing is changed: ` : "";
        const next = replacedIn(after, edit, { name, which });
        after = next.text;
        replaced += next.count;
      }
      await writeWhole(name, after, workshop);
      return `replaced ${replaced} in ${name}`;
    },
  },
  glob: {
    description: "Lists the files whose path matches a pattern, like src/**/*.ts.",
    properties: {
      pattern: text("The pattern, from the workspace's top."),
      limit: count("How many; 200 unless told."),
    },
    required: ["pattern"],
    isReading: true,
    async use(input, { context }) {
      const most = mostOf(input, 200);
      const found: string[] = [];
      const exclude = (name: string) => name === ".git" || name === "node_modules";
      for await (const path of globFiles(wordOf(input, "pattern"), { cwd: context.workspace, exclude })) {
        if (!path.startsWith("..") && !isAbsolute(path)) found.push(path);
        if (found.length > mostLooked) break;
      }
      return listed(found.sort(), { most, advice: "use a narrower pattern" }) || "no file matches";
    },
  },
  list: {
    description: "Lists a folder.",
    properties: { path },
    required: [],
    isReading: true,
    async use(input, workshop) {
      const names = await namesIn(wordOf(input, "path", "."), workshop);
      return listed(names.toSorted(), { most: 500, advice: "use glob" }) || "(empty)";
    },
  },
  grep: {
    description: "Finds the lines that match an extended regular expression.",
    properties: {
      pattern: text("The expression."),
      path,
      include: text("Only in files whose name matches this, like *.ts."),
      limit: count("How many lines; 200 unless told."),
    },
    required: ["pattern"],
    isReading: true,
    async use(input, workshop) {
      const place = await placeInside(workshop.context.workspace, wordOf(input, "path", "."));
      const skipped = [".git", "node_modules"].map((name) => `--exclude-dir=${name}`);
      const include = wordOf(input, "include", "");
      const only = include === "" ? [] : [`--include=${include}`];
      const args = ["-rnIE", ...skipped, ...only, "-e", wordOf(input, "pattern"), "--", place];
      const end = await run({ command: "grep", args, seconds: 60 }, workshop);
      if (end.exitCode === 1) return "no line matches";
      if (end.exitCode !== 0 && end.stdout === "") throw new Error(end.tail.trim() || "grep failed");
      const lines = end.stdout.replaceAll(`${workshop.context.workspace}/`, "").trimEnd().split("\n");
      const short = lines.map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line));
      return cut(listed(short, { most: mostOf(input, 200), advice: "narrow the expression or the path" }));
    },
  },
};

const pictures: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** Models take images of up to 5 MB in base64. */
const largestPicture = 3_750_000;

function pictureOf(bytes: Buffer, mediaType: string) {
  if (bytes.length > largestPicture) return `(an image of ${bytes.length} bytes: more than can be shown)`;
  return { picture: bytes.toString("base64"), mediaType };
}

/** How many matches are looked at, of which some are shown. */
const mostLooked = 5_000;

const mostOf = (input: ToolArguments, usual: number) => Math.max(1, numberOf(input, "limit") ?? usual);

function listed(
  all: readonly string[],
  { most, advice }: { readonly most: number; readonly advice: string },
): string {
  const more = all.length > most ? [`… and ${all.length - most} more: ${advice}`] : [];
  return [...all.slice(0, most), ...more].join("\n");
}

interface Occurrence {
  readonly name: string;
  readonly which: string;
}

function replacedIn(before: string, edit: ToolArguments, { name, which }: Occurrence) {
  // Models write lines that end as on Linux.
  const inFile = before.includes("\r\n")
    ? (text: string) => text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")
    : (text: string) => text;
  const old = inFile(wordOf(edit, "old"));
  const parts = before.split(old);
  const times = parts.length - 1;
  if (times === 0) throw new Error(`${which}${notThere(name, before, old)}`);
  if (times > 1 && edit["all"] !== true)
    throw new Error(`${which}the old text is ${times} times in ${name}: give more of what is around it`);
  return { text: parts.join(inFile(wordOf(edit, "new", ""))), count: times };
}

function notThere(name: string, text: string, old: string): string {
  const near = nearestLines(text, old);
  const hint =
    near === undefined
      ? "read the file again"
      : `nearest to it are lines ${near.first} to ${near.last}:\n${near.text}`;
  return `the old text is not in ${name}; ${hint}`;
}
