import { filesMatching, namesIn, readWhole, writeWhole } from "./files.ts";
import { grepTool } from "./grep-tool.ts";
import { imageIn } from "./image.ts";
import { type Replacement, replaceText } from "./replace-text.ts";
import { isBinary, pageOf, readText } from "./text-file.ts";
import {
  count,
  cut,
  listed,
  mostOf,
  mostOutput,
  numberOf,
  path,
  type ToolArguments,
  text,
  type WorkTool,
  wordOf,
  yes,
} from "./work-tool.ts";

/** Tools that read and change files. Paths stay within the workspace. */
export const fileTools: Readonly<Record<string, WorkTool>> = {
  read: {
    description: "Reads a text file, with a number before each line; or an image (PNG, JPEG, GIF, WebP).",
    properties: { path, offset: count("The first line, from 1."), limit: count("How many lines.") },
    required: ["path"],
    isReading: true,
    async use(input, workshop) {
      const name = wordOf(input, "path");
      const bytes = await readWhole(name, workshop);
      const image = imageIn(name, bytes);
      if (image !== undefined) return image;
      if (isBinary(bytes)) return `(a binary file of ${bytes.length} bytes)`;
      const { text: whole, isUtf8 } = readText(bytes);
      const first = Math.max(1, numberOf(input, "offset") ?? 1);
      const limit = mostOf(input, 2_000);
      const page = cut(pageOf(whole, { first, limit, bytes: mostPage }));
      return isUtf8 ? page : `${page}\n(not UTF-8: shown as Latin-1)`;
    },
  },
  write: {
    description: "Writes a file, in place of what is there.",
    properties: { path, content: text("All of the file.") },
    required: ["path", "content"],
    async use(input, workshop) {
      const name = wordOf(input, "path");
      await writeWhole(name, Buffer.from(wordOf(input, "content", "")), workshop);
      return `wrote ${name}`;
    },
  },
  edit: {
    description:
      "Replaces texts in a file: `old` by `new`, or each of `edits` one after the other, all of them or none. An old text must be there exactly once, unless `all` is true.",
    properties: {
      path,
      old: text("The text to replace, including spaces."),
      new: text("The text to put in its place."),
      all: yes("Replace every occurrence."),
      edits: {
        type: "array",
        description: "Several replacements, in place of `old` and `new`.",
        items: {
          type: "object",
          properties: { old: text("As above."), new: text("As above."), all: yes("As above.") },
          required: ["old", "new"],
        },
        minItems: 1,
      },
    },
    required: ["path"],
    async use(input, workshop) {
      const name = wordOf(input, "path");
      const file = readText(await readWhole(name, workshop));
      const edits = Array.isArray(input["edits"]) ? (input["edits"] as readonly ToolArguments[]) : [input];
      let [after, replaced] = [file.text, 0];
      for (const [index, edit] of edits.entries()) {
        const next = inOrder(edits.length, index, () => replaceText(name, after, replacementOf(edit)));
        after = next.text;
        replaced += next.count;
      }
      await writeWhole(name, file.encode(after), workshop);
      return `replaced ${replaced} in ${name}`;
    },
  },
  glob: {
    description: "Lists the files whose path matches a pattern, like src/**/*.ts.",
    properties: {
      pattern: text("The pattern, from the workspace's top."),
      limit: count("How many; the default is 200."),
    },
    required: ["pattern"],
    isReading: true,
    async use(input, workshop) {
      const most = mostOf(input, 200);
      const paths = await filesMatching(wordOf(input, "pattern"), workshop);
      return listed(paths, { most, advice: "use a narrower pattern" }) || "no file matches";
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
  grep: grepTool,
};

/** Maximum bytes of a file shown at once; the rest of the output is for our own text. */
const mostPage = mostOutput - 256;

const replacementOf = (edit: ToolArguments): Replacement => {
  if (typeof edit["old"] !== "string" || typeof edit["new"] !== "string")
    throw new Error("`old` and `new` must be texts; an empty `new` deletes");
  return { old: edit["old"], new: edit["new"], all: edit["all"] === true };
};

/** Names the edit that fails, if there are several. */
function inOrder<T>(count: number, index: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (count === 1) throw error;
    throw new Error(`edit ${index + 1} of ${count}, nothing is changed: ${(error as Error).message}`);
  }
}
