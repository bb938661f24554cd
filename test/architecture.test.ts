import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

/** Lowest first: a room may import from itself and from the rooms named here, and those stand above it. */
const rooms = {
  ports: [],
  expr: ["ports"],
  stops: ["expr", "ports"],
  plan: ["stops", "expr", "ports"],
  dialects: ["plan", "stops", "expr", "ports"],
  compile: ["dialects", "plan", "expr"],
  engine: ["plan", "stops", "expr", "ports"],
  commands: ["engine", "plan"],
  report: ["engine", "plan", "ports"],
  runner: ["engine", "plan", "ports"],
  adapters: ["ports"],
  cli: [
    "ports",
    "expr",
    "stops",
    "plan",
    "dialects",
    "compile",
    "engine",
    "commands",
    "report",
    "runner",
    "adapters",
  ],
} satisfies Record<string, readonly string[]>;

/** These may do I/O, and use any package; all others are pure. */
const impure: ReadonlySet<string> = new Set(["runner", "adapters", "cli"]);
const pureRooms = Object.keys(rooms).filter((room) => !impure.has(room));
const packagesOfPureRooms = /^(zod|js-yaml|@bufbuild\/cel)(\/|$)/;
const mostLines = 250;

const filesIn = (room: string) => globSync(`src/${room}/**/*.ts`);

describe.each(Object.entries(rooms))("the room %s", (room, below) => {
  test("has files", () => {
    expect(filesIn(room)).not.toEqual([]);
  });

  test("imports only from rooms below it", () => {
    const allowed = new Set<string>([room, ...below]);
    expect(importsOf(filesIn(room)).filter(({ to }) => isOurs(to) && !allowed.has(roomOf(to)))).toEqual([]);
  });

  test("names only rooms that stand above it in the table, so that no two import each other", () => {
    const names = Object.keys(rooms);
    expect(below.filter((other) => names.indexOf(other) >= names.indexOf(room))).toEqual([]);
  });
});

describe.each(pureRooms)("the pure room %s", (room) => {
  test("imports no package but zod, js-yaml and CEL, and nothing of Node", () => {
    const foreign = importsOf(filesIn(room)).filter(({ to }) => !isOurs(to));
    expect(foreign.filter(({ to }) => !packagesOfPureRooms.test(to))).toEqual([]);
  });

  test("reads no clock and throws no dice", () => {
    const impurity = /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\brandomUUID\b/;
    expect(filesIn(room).filter((file) => impurity.test(textOf(file)))).toEqual([]);
  });
});

describe("the whole house", () => {
  const sources = globSync("src/**/*.ts");

  test("has no room that the table does not know", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).filter((name) => !(name in rooms))).toEqual([]);
  });

  test("has nothing loose beside its rooms but the front door", () => {
    expect(globSync("src/*.ts").filter((file) => file !== "src/index.ts")).toEqual([]);
  });

  test(`has no file of more than ${mostLines} lines`, () => {
    expect(sources.filter((file) => linesOf(file) > mostLines)).toEqual([]);
  });

  test("names the extension in every import of its own", () => {
    const bare = importsOf(sources).filter(({ to }) => isOurs(to) && !/\.(ts|json)$/.test(to));
    expect(bare).toEqual([]);
  });

  test("imports only files that exist", () => {
    expect(importsOf(sources).filter(({ to }) => isOurs(to) && !existsSync(to))).toEqual([]);
  });

  test("is entered by action and app through the front door only", () => {
    const outside = importsOf(globSync("{action,app}/**/*.ts"));
    expect(outside.filter(({ to }) => to.startsWith("src/") && to !== "src/index.ts")).toEqual([]);
  });

  test("never imports from outside src", () => {
    expect(importsOf(sources).filter(({ to }) => /^(test|action|app|scripts|dist)\//.test(to))).toEqual([]);
  });
});

interface Import {
  readonly file: string;
  readonly to: string;
}

function importsOf(files: readonly string[]): readonly Import[] {
  return files.flatMap((file) => {
    const text = textOf(file);
    const plain = text.matchAll(/^(?:import|export)\s(?:[^;"']*?\sfrom\s)?["']([^"']+)["']/gm);
    const dynamic = text.matchAll(/\bimport\(\s*["']([^"']+)["']/g);
    return [...plain, ...dynamic].map(([, to = ""]) => ({
      file,
      to: to.startsWith(".") ? join(dirname(file), to) : to,
    }));
  });
}

const isOurs = (to: string) => to.startsWith("src/");
const roomOf = (to: string) => to.split("/")[1] ?? "";
const textOf = (file: string) => readFileSync(file, "utf8");
const linesOf = (file: string) => textOf(file).split("\n").length - 1;
