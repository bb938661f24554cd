import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

/** Lowest first: a room may import from itself and from the rooms named here, and those stand above it. */
const roomsOfSrc = {
  ports: [],
  checks: ["ports"],
  expressions: ["ports"],
  stops: ["expressions", "checks", "ports"],
  plan: ["stops", "expressions", "ports"],
  dialects: ["plan", "stops", "expressions", "ports"],
  compile: ["dialects", "plan", "expressions", "ports"],
  series: ["ports"],
  engine: ["series", "plan", "stops", "expressions", "checks", "ports"],
  decisions: ["engine", "plan", "ports"],
  status: ["engine", "plan", "stops", "checks", "ports"],
  render: ["status", "engine", "plan", "stops", "ports"],
  runner: ["engine", "plan", "ports"],
  processes: ["checks", "ports"],
  telemetry: ["processes", "engine", "ports"],
  git: ["processes", "ports"],
  github: ["processes", "ports"],
  workspace: ["git", "processes", "checks", "ports"],
  stores: ["workspace", "github", "git", "processes", "ports"],
  "key-proxy": ["processes", "ports"],
  agents: ["key-proxy", "workspace", "processes", "ports"],
  local: ["agents", "key-proxy", "stores", "workspace", "github", "git", "processes", "ports"],
  "issue-ops": [
    "series",
    "stores",
    "github",
    "render",
    "status",
    "decisions",
    "engine",
    "compile",
    "plan",
    "ports",
  ],
  cli: [
    "local",
    "agents",
    "key-proxy",
    "stores",
    "workspace",
    "github",
    "git",
    "telemetry",
    "processes",
    "runner",
    "render",
    "status",
    "decisions",
    "engine",
    "compile",
    "dialects",
    "plan",
    "stops",
    "expressions",
    "checks",
    "ports",
  ],
  api: [
    "issue-ops",
    "local",
    "agents",
    "stores",
    "workspace",
    "github",
    "git",
    "telemetry",
    "processes",
    "runner",
    "render",
    "status",
    "decisions",
    "engine",
    "series",
    "compile",
    "plan",
    "expressions",
    "ports",
  ],
} satisfies Record<string, readonly string[]>;

const roomsOfAction = {
  inputs: [],
  job: [],
  result: ["job"],
  publish: ["result", "job", "inputs"],
  series: ["publish", "result", "job", "inputs"],
  github: ["series", "publish", "result", "job", "inputs"],
  run: ["github", "result", "job", "inputs"],
  commands: ["run", "github", "publish", "result", "job", "inputs"],
} satisfies Record<string, readonly string[]>;

const houses = [
  { house: "src", rooms: roomsOfSrc, doors: [] },
  { house: "action", rooms: roomsOfAction, doors: ["action/main.ts", "action/run.ts"] },
];

/** These may do I/O, and use any package; all others are pure. */
const impure: ReadonlySet<string> = new Set([
  "runner",
  "processes",
  "telemetry",
  "git",
  "github",
  "workspace",
  "stores",
  "key-proxy",
  "agents",
  "local",
  "issue-ops",
  "cli",
]);
const pureRooms = Object.keys(roomsOfSrc).filter((room) => !impure.has(room));
const packagesOfPureRooms = /^(zod|yaml|@bufbuild\/cel|fast-xml-parser|smol-toml|tap-parser)(\/|$)/;
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

    test("names only rooms above it in the table, so that no two import each other", () => {
      expect(below.filter((other) => names.indexOf(other) >= names.indexOf(room))).toEqual([]);
    });
  });

  test("has no room that the table does not know", () => {
    const folders = readdirSync(house, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("has no files outside its rooms except its entry points", () => {
    expect(globSync(`${house}/*.ts`).toSorted()).toEqual(doors);
  });
});

describe.each(pureRooms)("the pure room %s", (room) => {
  test("imports no package but parsers and CEL, and nothing of Node", () => {
    const foreign = importsOf(filesIn(`src/${room}`)).filter(({ to }) => !isOurs(to));
    expect(foreign.filter(({ to }) => !packagesOfPureRooms.test(to))).toEqual([]);
  });

  test("reads no clock and throws no dice", () => {
    const impurity = /\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\brandomUUID\b/;
    expect(filesIn(`src/${room}`).filter((file) => impurity.test(textOf(file)))).toEqual([]);
  });
});

describe("the tests", () => {
  const tests = globSync("test/**/*.ts").filter((file) => file !== "test/parts/random.ts");

  test("take nothing random but from the seed that `parts/random.ts` prints and repeats", () => {
    const unseeded = /random: Math\.random|\bMath\.random\(\)|from "fast-check"/;
    expect(tests.filter((file) => unseeded.test(textOf(file)))).toEqual(["test/architecture.test.ts"]);
  });

  test("are in a tier by their name alone", () => {
    const names = tests.filter((file) => file.endsWith(".test.ts"));
    expect(names.filter((file) => !/\/[\w-]+(\.(long|nightly|e2e))?\.test\.ts$/.test(file))).toEqual([]);
    expect(readFileSync("vitest.config.ts", "utf8")).not.toMatch(
      /test\/[\w/-]+\.(long\.|nightly\.)?test\.ts/,
    );
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

  test("is entered by action and app through src/api only", () => {
    const outside = importsOf(globSync("{action,app}/**/*.ts"));
    expect(outside.filter(({ to }) => to.startsWith("src/") && !to.startsWith("src/api/"))).toEqual([]);
  });

  test.each([
    { tree: "src", below: [] },
    { tree: "app", below: ["src"] },
    { tree: "action", below: ["src"] },
  ])("$tree/ imports nothing of ours but itself and rooms below it", ({ tree, below }) => {
    const known = [tree, ...below];
    const imports = importsOf(filesIn(tree)).filter(({ to }) =>
      /^(src|action|app|test|scripts|dist)\//.test(to),
    );
    expect(imports.filter(({ to }) => !known.includes(treeOf(to)))).toEqual([]);
  });

  test("keeps convert out of the run path: only its command imports it, and it imports only what compiles", () => {
    const converter = filesIn("tools/convert");
    const importers = importsOf(sources).filter(({ to }) => to.startsWith("tools/"));
    expect(importers.map(({ file }) => file)).toEqual(["src/cli/convert.ts"]);
    const below = ["compile", ...roomsOfSrc.compile, "stops"];
    const ours = importsOf(converter).filter(({ to }) => isOurs(to));
    expect(ours.filter(({ to }) => !below.includes(roomOf(to)))).toEqual([]);
    expect(converter.filter((file) => linesOf(file) > mostLines)).toEqual([]);
  });

  test("starts git only in the environment that keeps it from fetching by itself", () => {
    const starts =
      /\b(execFile|execFileSync|spawn|spawnSync)\(gitProgram\(\)|command: (gitProgram\(\)|"git",\n)/;
    const named = /\bgitEnvironment\(|\.\.\.remote\.env\b/;
    // The built-in agent's tool: it runs where the agent's own commands run, and as they do.
    const ofAgents = "src/agents/api/grep-tool.ts";
    const starting = sources.filter((file) => starts.test(textOf(file)) && file !== ofAgents);
    expect(starting.length).toBeGreaterThan(4);
    expect(starting.filter((file) => !named.test(textOf(file)))).toEqual([]);
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
