import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

/** Lowest first: a room may import from itself and from the rooms named here, and those stand above it. */
const roomsOfSrc = {
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

const roomsOfAction = {
  inputs: [],
  job: [],
  ending: ["job"],
  publish: ["ending", "job", "inputs"],
  hosting: ["publish", "ending", "job", "inputs"],
  drive: ["hosting", "ending", "job", "inputs"],
  commands: ["drive", "hosting", "publish", "ending", "job", "inputs"],
} satisfies Record<string, readonly string[]>;

const houses = [
  { house: "src", rooms: roomsOfSrc, doors: ["src/index.ts"] },
  { house: "action", rooms: roomsOfAction, doors: ["action/main.ts", "action/run.ts"] },
];

/** These may do I/O, and use any package; all others are pure. */
const impure: ReadonlySet<string> = new Set(["runner", "adapters", "cli"]);
const pureRooms = Object.keys(roomsOfSrc).filter((room) => !impure.has(room));
const packagesOfPureRooms = /^(zod|js-yaml|@bufbuild\/cel)(\/|$)/;
const mostLines = 250;

const filesIn = (folder: string) => globSync(`${folder}/**/*.ts`);

describe.each(houses)("$house/", ({ house, rooms, doors }) => {
  const names = Object.keys(rooms);
  const isHere = (to: string) => to.startsWith(`${house}/`);

  describe.each(Object.entries(rooms))("the room %s", (room, below) => {
    test("has files", () => {
      expect(filesIn(`${house}/${room}`)).not.toEqual([]);
    });

    test("imports only from rooms below it", () => {
      const allowed = new Set<string>([room, ...below]);
      const imports = importsOf(filesIn(`${house}/${room}`)).filter(({ to }) => isHere(to));
      expect(imports.filter(({ to }) => !allowed.has(roomOf(to)))).toEqual([]);
    });

    test("names only rooms that stand above it in the table, so that no two import each other", () => {
      expect(below.filter((other) => names.indexOf(other) >= names.indexOf(room))).toEqual([]);
    });
  });

  test("has no room that the table does not know", () => {
    const folders = readdirSync(house, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("has nothing loose beside its rooms but its doors", () => {
    expect(globSync(`${house}/*.ts`).toSorted()).toEqual(doors);
  });
});

describe.each(pureRooms)("the pure room %s", (room) => {
  test("imports no package but zod, js-yaml and CEL, and nothing of Node", () => {
    const foreign = importsOf(filesIn(`src/${room}`)).filter(({ to }) => !isOurs(to));
    expect(foreign.filter(({ to }) => !packagesOfPureRooms.test(to))).toEqual([]);
  });

  test("reads no clock and throws no dice", () => {
    const impurity = /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\brandomUUID\b/;
    expect(filesIn(`src/${room}`).filter((file) => impurity.test(textOf(file)))).toEqual([]);
  });
});

describe("the whole house", () => {
  const sources = globSync("{src,action,app}/**/*.ts");

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

  test.each([
    { tree: "src", below: [] },
    { tree: "app", below: ["src"] },
    { tree: "action", below: ["app", "src"] },
  ])("$tree/ imports nothing of ours but itself and what stands below it", ({ tree, below }) => {
    const known = [tree, ...below];
    const imports = importsOf(filesIn(tree)).filter(({ to }) =>
      /^(src|action|app|test|scripts|dist)\//.test(to),
    );
    expect(imports.filter(({ to }) => !known.includes(treeOf(to)))).toEqual([]);
  });

  test("has no circle of imports, types included", () => {
    expect(circlesIn(importsOf(sources))).toEqual([]);
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

/** What is left of imports when those are struck, again and again, that lead nowhere or come from nowhere. */
function circlesIn(imports: readonly Import[]): readonly Import[] {
  const importing = new Set(imports.map(({ file }) => file));
  const imported = new Set(imports.map(({ to }) => to));
  const left = imports.filter(({ file, to }) => imported.has(file) && importing.has(to));
  return left.length === imports.length ? left : circlesIn(left);
}

const isOurs = (to: string) => /^(src|action|app)\//.test(to);
const treeOf = (to: string) => to.split("/")[0] ?? "";
const roomOf = (to: string) => to.split("/")[1] ?? "";
const textOf = (file: string) => readFileSync(file, "utf8");
const linesOf = (file: string) => textOf(file).split("\n").length - 1;
