import { existsSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CheckGuard } from "../../src/ports/workspace.ts";
import { commitOf, openPlayground, type PlaygroundOptions } from "./playground.ts";

const manifest = (more: object = {}) =>
  `${JSON.stringify({ scripts: { test: "vitest run" }, ...more }, undefined, 2)}\n`;
const files = {
  "package.json": manifest(),
  "src/a.test.ts": "test\n",
  "src/a.ts": "a\n",
  ".gitignore": "*.log\nnode_modules\n",
};

/** A checkout whose check is guarded; what an agent does in it, then the restored paths. */
async function guarded(options: PlaygroundOptions = { files }, more: Partial<CheckGuard> = {}) {
  const it = openPlayground(options);
  const commit = await commitOf(it.snapshot());
  const guard: CheckGuard = { scripts: ["npm test"], allow: [], tests: true, ...more };
  const tools = async () => (await it.ask({ op: "inspect", commit, globs: [], guard })).tools;
  const protect = async () => (await it.ask({ op: "protect", commit, globs: [], guard })).restored;
  return { ...it, tools, protect, path: (name: string) => join(it.top, name) };
}

describe("configuration of the tools that a check uses", () => {
  test("is restored, and none is added; that of other tools is the agent's", async () => {
    const it = await guarded({ files: { ...files, "vitest.config.ts": "old\n" } });
    expect(await it.tools()).toEqual(expect.arrayContaining(["npm", "vitest"]));
    it.write({
      "vitest.config.ts": "new\n",
      ".npmrc": "script-shell=/bin/true\n",
      "pytest.ini": "[pytest]\n",
    });
    expect(await it.protect()).toEqual([".npmrc", "vitest.config.ts"]);
    expect(it.read("vitest.config.ts")).toBe("old\n");
    expect(existsSync(it.path(".npmrc"))).toBe(false);
    expect(it.read("pytest.ini")).toBe("[pytest]\n");
  });

  test("is found in the packages of a repository, and counts from the workspace", async () => {
    const below = "web";
    const it = await guarded(
      { below, files: { "web/pkg/package.json": manifest(), "web/a.ts": "a\n" } },
      { scripts: ["cd pkg && npm test"] },
    );
    it.write({ "web/pkg/vitest.config.js": "new\n", "vitest.config.js": "outside\n" });
    expect(await it.protect()).toEqual(["web/pkg/vitest.config.js"]);
    expect(it.read("vitest.config.js")).toBe("outside\n");
  });

  test("is a script that the check calls by a name that says so", async () => {
    const own = { "ci/test.sh": "npm test\n", "greet.sh": "echo\n" };
    const it = await guarded(
      { files: { ...files, ...own } },
      { scripts: ["bash ci/test.sh && bash greet.sh"] },
    );
    it.write({ "ci/test.sh": "exit 0\n", "greet.sh": "echo hi\n" });
    expect(await it.protect()).toEqual(["ci/test.sh"]);
    expect(it.read("greet.sh")).toBe("echo hi\n");
  });

  test("may be changed where the author allows it", async () => {
    const it = await guarded({ files }, { allow: ["vitest.config.*", "src/a.test.ts", "package.json"] });
    it.write({ "vitest.config.ts": "new\n", "src/a.test.ts": "other\n", "package.json": "{}\n" });
    expect(await it.protect()).toEqual([]);
  });
});

describe("files with other names that the configuration names", () => {
  test("are restored, also where a nested configuration names them", async () => {
    const own = {
      "pkg/vitest.config.ts": 'import { shared } from "../build/shared";\nexport default shared;\n',
      "build/shared.ts": 'export const shared = { test: { setupFiles: ["./support/setup.ts"] } };\n',
      "support/setup.ts": "old\n",
      "support/other.ts": "old\n",
    };
    const it = await guarded({ files: { ...files, ...own } });
    it.write({ "build/shared.ts": "new\n", "support/setup.ts": "new\n", "support/other.ts": "new\n" });
    expect(await it.protect()).toEqual(["build/shared.ts", "support/setup.ts"]);
  });
});

describe("rules of what git ignores", () => {
  const own = { "add.py": "import os\n", ".gitignore": "*.log\n" };

  test("are restored where a linter would skip a tracked file, unless they are allowed", async () => {
    for (const [allow, restored] of [
      [[], [".gitignore", "pkg/.gitignore"]],
      [["**/.gitignore"], []],
    ] as const) {
      const it = await guarded({ files: own }, { scripts: ["ruff check ."], allow });
      it.write({ ".gitignore": "*.log\nadd.py\n", "pkg/.gitignore": "*.tmp\n" });
      expect(await it.protect()).toEqual(restored);
    }
  });

  test("may ignore new files, and in checks that do not read them also others", async () => {
    const linted = await guarded({ files: own }, { scripts: ["ruff check ."] });
    linted.write({ ".gitignore": "*.log\nbuild/\n", "build/x.py": "x\n" });
    expect(await linted.protect()).toEqual([]);
    const tested = await guarded({ files: own }, { scripts: ["go test ./..."] });
    tested.write({ ".gitignore": "add.py\n" });
    expect(await tested.protect()).toEqual([]);
  });
});

describe("tests", () => {
  test("have helpers, in whose place no new file may be loaded", async () => {
    const own = {
      "test/b.js": "b\n",
      "tests/helpers.py": "h\n",
      "app/test_e.py": "e\n",
      "test/fixtures/c.js": "c\n",
      "test/d.test.js": "d\n",
    };
    const it = await guarded({ files: { ...files, ...own } });
    const honest = [
      "test/c.js",
      "test/b.md",
      "test/b/index.js",
      "test/fixtures/c.ts",
      "test/d.test.ts",
      "src/a.js",
    ];
    const second = ["app/test_e/__init__.py", "test/b.mjs", "tests/helpers/__init__.py"];
    for (const path of [...honest, ...second]) it.write({ [path]: "new\n" });
    expect(await it.protect()).toEqual(second);
  });

  test("are restored where they were changed or removed; new ones stay", async () => {
    const it = await guarded({ files: { ...files, "test/b.ts": "b\n" } });
    it.write({ "src/a.test.ts": "test.skip\n", "src/new.test.ts": "new\n" });
    it.remove("test/b.ts");
    expect(await it.protect()).toEqual(["src/a.test.ts", "test/b.ts"]);
    expect(it.read("src/a.test.ts")).toBe("test\n");
    expect(it.read("src/new.test.ts")).toBe("new\n");
  });

  test("have files to compare with, which are restored too; new ones stay", async () => {
    const it = await guarded({ files: { ...files, "fixtures/sum.json": "3\n", "src/page.snap": "old\n" } });
    it.write({ "fixtures/sum.json": "-1\n", "src/page.snap": "new\n", "fixtures/more.json": "1\n" });
    expect(await it.protect()).toEqual(["fixtures/sum.json", "src/page.snap"]);
    expect(it.read("fixtures/sum.json")).toBe("3\n");
    expect(it.read("fixtures/more.json")).toBe("1\n");
  });

  test("find no other test library nearer to them, and no options of Node in a new file", async () => {
    const it = await guarded();
    it.write({
      ".gitignore": "/node_modules\n",
      "test/node_modules/chai/index.js": "fake\n",
      "test/fixtures/node_modules/dep/index.js": "dep\n",
      ".env": "NODE_OPTIONS=--import ./fake.mjs\n",
      "web/.env.local": "PORT=1\n",
      "test/package.json": '{\n  "name": "chai",\n  "exports": "./fake.js"\n}\n',
      "pkg/package.json": '{\n  "name": "pkg"\n}\n',
    });
    expect(await it.protect()).toEqual([".env", "test/node_modules/chai/index.js", "test/package.json"]);
    expect(it.read("pkg/package.json")).toContain("pkg");
    expect(it.read(".env")).toBe("");
    expect(it.read("test/fixtures/node_modules/dep/index.js")).toBe("dep\n");
    expect(it.read("web/.env.local")).toBe("PORT=1\n");
  });

  test("are the agent's where the author protects none", async () => {
    const it = await guarded({ files }, { tests: false });
    it.write({ "src/a.test.ts": "other\n" });
    expect(await it.protect()).toEqual([]);
  });
});

describe("files that git ignores", () => {
  test("are removed from protected places where they are new, and kept elsewhere", async () => {
    const it = await guarded();
    await it.tools();
    it.write({ "test/node_modules/vitest/index.js": "fake\n", "test/run.log": "x\n", "src/run.log": "x\n" });
    await it.protect();
    expect(existsSync(it.path("test/node_modules/vitest/index.js"))).toBe(false);
    expect(existsSync(it.path("test/run.log"))).toBe(false);
    expect(it.read("src/run.log")).toBe("x\n");
  });

  test("are restored in protected places where they were there before", async () => {
    const it = await guarded();
    it.write({ "test/data.log": "old\n" });
    await it.tools();
    it.write({ "test/data.log": "new\n" });
    expect(await it.protect()).toEqual(["test/data.log"]);
    expect(it.read("test/data.log")).toBe("old\n");
  });
});

describe("a file that holds more than configuration", () => {
  test("has only that part restored", async () => {
    const it = await guarded();
    it.write({ "package.json": manifest({ scripts: { test: "true" }, dependencies: { a: "1.0.0" } }) });
    expect(await it.protect()).toEqual(["package.json"]);
    expect(JSON.parse(it.read("package.json"))).toEqual({
      scripts: { test: "vitest run" },
      dependencies: { a: "1.0.0" },
    });
  });

  test("is not touched where that part is as it was", async () => {
    const it = await guarded();
    it.write({ "package.json": manifest({ dependencies: { a: "1.0.0" } }) });
    expect(await it.protect()).toEqual([]);
  });

  test("comes back where it was removed at the top; a package may go", async () => {
    const it = await guarded({ files: { ...files, "pkg/package.json": manifest() } });
    it.remove("package.json");
    it.remove("pkg");
    expect(await it.protect()).toEqual(["package.json"]);
    expect(it.read("package.json")).toBe(manifest());
  });

  test("replaces a link in its place, and leaves the link's target", async () => {
    const it = await guarded({ files: { ...files, "other.json": "{}\n" } });
    it.remove("package.json");
    symlinkSync("other.json", it.path("package.json"));
    expect(await it.protect()).toEqual(["package.json"]);
    expect(lstatSync(it.path("package.json")).isFile()).toBe(true);
    expect(readFileSync(it.path("other.json"), "utf8")).toBe("{}\n");
  });
});
