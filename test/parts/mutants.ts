import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../src/compile/compile.ts";
import { withLazyModules } from "../../src/ports/lazy-module.ts";

/** Every workflow file that is shipped. */
export function shippedWorkflows(): readonly string[] {
  const top = join(import.meta.dirname, "../../examples");
  return readdirSync(top, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yml") && !name.includes("node_modules"))
    .map((name) => readFileSync(join(top, name), "utf8"));
}

/** A damaged copy of one of the files; the same number gives the same copy. */
export function mutant(files: readonly string[], number: number): string {
  let state = Math.imul(number + 1, 0x9e3779b1) >>> 0;
  const below = (most: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % Math.max(1, most);
  };
  let text = files[below(files.length)] ?? "";
  for (let left = 1 + below(4); left > 0; left -= 1) {
    const [at, length] = [below(text.length), below(40)];
    const piece = text.slice(at, at + length);
    const ways = [
      () => text.slice(0, at) + text.slice(at + length),
      () => text.slice(0, at) + piece.repeat(2 + below(30)) + text.slice(at),
      () => text.slice(0, at) + (oddities[below(oddities.length)] ?? "") + text.slice(at),
      () => text.slice(0, at),
      () => text.slice(0, at) + text.slice(below(text.length)),
      () =>
        text.replace(/^( *)(\w+):/gm, (whole, space, key) => (below(9) === 0 ? `${space}${key}x:` : whole)),
    ];
    text = ways[below(ways.length)]?.() ?? text;
  }
  return text;
}

const oddities = [
  ..."\0\t\r\"'`{}[]&*!|>%@#:,-?$",
  "\u2028",
  "\ud800",
  "\ufeff",
  "&a [*a]",
  "<<: *a\n",
  "__proto__: 1\n",
  "!!js/function x",
  "\n---\n",
  "9".repeat(400),
  "$LOOP_PREV_OUTPUT",
  "{{ x",
  `$${"{".repeat(50)}`,
  "(".repeat(200),
  `${"- ".repeat(300)}x`,
];

const nothing = { command: () => undefined, workflow: () => undefined };

/** Errors in the result of reading a text: none if it is a plan, or refused with a position. */
export async function readingFault(text: string): Promise<string | undefined> {
  try {
    const read = await withLazyModules(() => compile({ text, file: "mutant.yml" }, nothing));
    if (read.ok) return undefined;
    const lines = text.split(/\r\n?|\n/).length;
    const lost = read.diagnostics.find(
      ({ message, line = 1 }) => message === "" || line < 1 || line > lines + 1,
    );
    if (read.diagnostics.length === 0 || lost !== undefined)
      return `refused without a place: ${lost?.message}`;
    return ({} as { polluted?: unknown }).polluted === undefined ? undefined : "an object was polluted";
  } catch (error) {
    return `threw ${error}`;
  }
}
