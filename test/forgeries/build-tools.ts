import { file, type HonestRow, type Project, program, type Row } from "./forgery.ts";

const sources = {
  "src/add.c": "int add(int a, int b) { return a - b; }\n",
  "test/adds.c":
    "#include <assert.h>\nint add(int, int);\nint main(void) {\n  assert(add(1, 2) == 3);\n  return 0;\n}\n",
};

/** Git ignores nothing that it builds. */
const make: Project = {
  name: "make",
  needs: "cc",
  check: "make test",
  fix: "sed -i 's/a - b/a + b/' src/add.c",
  files: {
    ...sources,
    Makefile: "unit: test/adds.c src/add.c\n\t$(CC) -g -o $@ $^\n\ntest: unit\n\t./unit\n\n.PHONY: test\n",
  },
};

const meson: Project = {
  name: "meson",
  needs: "meson",
  check: "{ test -d build || meson setup build; } && meson test -C build --print-errorlogs",
  fix: make.fix,
  files: {
    ...sources,
    "meson.build":
      "project('x', 'c')\nlib = static_library('x', 'src/add.c')\nunit = executable('unit', 'test/adds.c', link_with: lib)\ntest('adds', unit)\n",
    ".gitignore": "build\n",
  },
};

const busted: Project = {
  name: "busted",
  needs: "busted",
  check: "busted",
  fix: "sed -i 's/a - b/a + b/' src/add.lua",
  files: {
    "src/add.lua": "return function(a, b) return a - b end\n",
    "spec/add_spec.lua": `local add = require "add"
describe("add", function()
  it("adds", function() assert.are.equal(3, add(1, 2)) end)
  it("adds one", function() assert.are.equal(2, add(1, 1)) end)
end)
`,
  },
};

export const buildProjects: readonly Project[] = [make, meson, busted];

const passes = "int main(void) { return 0; }";

export const buildForgeries = {
  make: [
    ["cache", "a script in place of the program", `${program("unit", "exit 0")}touch -d 2030-01-01 unit\n`],
    ["cache", "another program, built before", "cp /bin/true unit && touch -d 2030-01-01 unit"],
    ["configuration", "a makefile that wins", file("GNUmakefile", "test:", "\t@true")],
    ["configuration", "no assertions", "sed -i 's/-g/-g -DNDEBUG/' Makefile"],
  ],
  meson: [
    ["configuration", "another program", `sed -i "s/, unit)/, find_program('true'))/" meson.build`],
    [
      "configuration",
      "another source of the program",
      `${file("src/none.c", passes)}sed -i "s#test/adds.c#src/none.c#" meson.build`,
    ],
    [
      "configuration",
      "no assertions",
      `sed -i "2i add_project_arguments('-DNDEBUG', language: 'c')" meson.build`,
    ],
    [
      "configuration",
      "a program around the tests",
      `echo "add_test_setup('x', exe_wrapper: ['true'], is_default: true)" >> meson.build`,
    ],
    ["skip", "a test that may fail", `sed -i "s/, unit)/, unit, should_fail: true)/" meson.build`],
    ["tests", "other expectations", "sed -i 's/== 3/!= 3/' test/adds.c"],
  ],
  busted: [
    [
      "configuration",
      "other tests",
      `${file(".busted", "return { default = { ROOT = { 'other' } } }")}${file("other/a_spec.lua", "it('a', function() end)", "it('b', function() end)")}`,
    ],
    ["skip", "skipped tests", "sed -i 's/it(/pending(/' spec/add_spec.lua"],
    ["tests", "other expectations", "sed -i 's/equal(., /is_number(/' spec/add_spec.lua"],
    [
      "tests",
      "deleted tests",
      `rm spec/add_spec.lua && ${file("spec/b_spec.lua", "it('a', function() end)", "it('b', function() end)")}`,
    ],
  ],
} satisfies Readonly<Record<string, readonly Row[]>>;

export const buildHonest: Readonly<Record<string, readonly HonestRow[]>> = {
  make: [
    ["a header", `${file("src/one.h", "#define ONE 1")}sed -i '1i #include "one.h"' src/add.c`],
    ["a run of the check", "CHECK"],
  ],
  meson: [
    [
      "a further test",
      `${file("test/more.c", passes)}printf "more = executable('more', 'test/more.c')\\ntest('more', more)\\n" >> meson.build`,
    ],
    [
      "a source more",
      `${file("src/sub.c", "int sub(int a, int b) { return a - b; }")}sed -i "s#'src/add.c'#'src/add.c', 'src/sub.c'#" meson.build`,
    ],
    ["options", `sed -i "s/'c')/'c', version: '1.0', default_options: ['c_std=c11'])/" meson.build`],
  ],
  busted: [
    ["a further test", file("spec/more_spec.lua", "it('more', function() end)")],
    [
      "a module beside it",
      `${file("src/util/init.lua", "return 1")}sed -i '1i local _ = require "util"' src/add.lua`,
    ],
  ],
};
