import type { Checkout } from "./checkout.ts";
import { tools } from "./tools/index.ts";

/** Vendored test libraries, by the names of their files and folders. */
export const vendoredLibraries = ({ paths }: Checkout): readonly string[] => [
  "**/{bats,bats-core,bats-assert,bats-support,bats-file,bats-mock,googletest,gtest,gmock,catch2,cmocka,cgreen,cpputest,shunit2,shellspec,luaunit,simpletest}/**",
  "**/{unity,unity_internals,cmocka,munit,greatest,acutest,utest,minunit,cutest}.{c,h}",
  "**/{shunit2,luaunit.lua,bats-assert.bash}",
  // Folders with these names may be code as well: their headers tell.
  ...paths.flatMap((path) => {
    const folder = /^(?:.*\/)?(doctest|unity|criterion|munit)\/(?=(?:.*\/)?\1\.h(?:pp)?$)/.exec(path)?.[0];
    return folder === undefined ? [] : [`${folder}**`];
  }),
];

/** The folder of a vendored program that a check starts. */
export function vendoredFolder(script: string): readonly string[] {
  const folder = /^(?:.*\/)?(?:vendor|vendored|third[-_]?party|external|extern|deps|contrib)\/[^/]+\//.exec(
    script,
  )?.[0];
  return folder === undefined ? [] : [`${folder}**`];
}

/**
 * Files that a script of the check reads with `source` or `.` before it starts a test runner: they may set variables
 * or define functions with the names of programs. If the script starts no runner, they are the code under test.
 */
export function sourcedSettings(scripts: readonly string[], { text }: Checkout): readonly string[] {
  const startsTests = tools.filter(({ id }) => !runsAnything.has(id));
  return scripts.flatMap((path) => {
    const script = text(path) ?? "";
    if (!startsTests.some(({ called }) => called?.test(script))) return [];
    return [
      ...script.matchAll(
        /(?:^|[;&|{(]|\bthen|\bdo)[ \t]*(?:\.|source)[ \t]+["']?(?:\.\/)?([\w@][\w@./-]*)/gm,
      ),
    ]
      .map(([, name = ""]) => name)
      .filter((name) => text(name) !== undefined);
  });
}

/** Tools that say nothing about what is tested. */
const runsAnything = new Set(["version managers", "make", "just", "task", "bats", "shellcheck"]);

/** Packages whose code imports `testing`: in Go only helpers of tests do. */
export function helpersOfGo(ids: readonly string[], { paths, text }: Checkout): readonly string[] {
  if (!ids.includes("go")) return [];
  const helpers = paths
    .filter(
      (path) =>
        /(?<!_test)\.go$/.test(path) &&
        /^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"testing"$/m.test(text(path) ?? ""),
    )
    .map((path) => path.slice(0, path.lastIndexOf("/") + 1));
  return [...new Set(helpers)].filter((folder) => folder !== "").map((folder) => `${folder}*.go`);
}

/** A new workspace of Go. An existing one has protected lines. */
export const newWorkspace = (ids: readonly string[], { paths }: Checkout): readonly string[] =>
  ids.includes("go") && !paths.some((path) => /(?:^|\/)go\.work$/.test(path)) ? ["**/go.work"] : [];

/** The project's own cops for RuboCop, unless tests cover them: then they are code under test. */
export const ownCops = (ids: readonly string[], { paths }: Checkout): readonly string[] =>
  ids.includes("rubocop") && !paths.some((path) => /(?:^|\/)(?:spec|test)\/(?:.*\/)?rubocop\//.test(path))
    ? ["**/lib/rubocop/**"]
    : [];

/**
 * Headers that a compiler would take instead of the system's: a new `assert.h` in a folder of headers makes
 * assertions mean nothing. A header that exists is code.
 */
export function systemHeaders(ids: readonly string[], { paths }: Checkout): readonly string[] {
  if (!["make", "cmake", "ninja", "bazel"].some((id) => ids.includes(id))) return [];
  const existing = new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1)));
  return [
    `**/{${headers
      .split(" ")
      .filter((name) => !existing.has(name))
      .join(",")}}`,
  ];
}

const headers =
  "assert.h complex.h ctype.h errno.h fenv.h features.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h threads.h time.h unistd.h wchar.h wctype.h cassert cmath cstddef cstdint cstdio cstdlib cstring iostream string vector memory exception stdexcept";
