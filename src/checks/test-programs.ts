import type { Checkout } from "./checkout.ts";
import type { ConfigPart } from "./tools/tool.ts";

/**
 * In the files of CMake and Meson, the lines about programs that run tests, and the paths of tests: they decide from
 * which sources such a program is built. Others may be added.
 */
export function testPrograms({ paths, text }: Checkout): readonly ConfigPart[] {
  const build = paths
    .filter((path) => isBuildFile.test(path))
    .map((path) => text(path) ?? "")
    .join("\n");
  const ofTests = definitions
    .flatMap((pattern) => [...build.matchAll(pattern)])
    .filter(([, , sources = ""]) => testPath.test(sources))
    .map(([, name]) => name);
  const names = [...build.matchAll(started)]
    .map(([, inCMake, inMeson]) => inCMake ?? inMeson ?? "")
    .filter((name) => ofTests.includes(name));
  if (names.length === 0) return [];
  // Before a parenthesis it is a command: a program may be named `add_test`.
  const anyName = `(?<![\\w-])(?:${[...new Set(names)].join("|")})(?![\\w-]|\\s*\\()`;
  return [
    {
      kind: "lines",
      file: "**/{CMakeLists.txt,*.cmake,meson.build}",
      lines: new RegExp(`${anyName}|${testPath.source}`),
      mayAdd: new RegExp(
        `^(?!.*${anyName})|^target_(?:link_libraries|include_directories|compile_features)\\s*\\([\\w\\s:./-]+\\)$`,
      ),
      alsoNew: true,
    },
  ];
}

const isBuildFile = /(?:^|\/)(?:CMakeLists\.txt|meson\.build)$/;

const definitions: readonly RegExp[] = [
  /\badd_executable\s*\(\s*([\w-]+)([^)]{0,4000})\)/g,
  /\b(\w+)\s*=\s*executable\s*\(([^)]{0,4000})\)/g,
];

const started =
  /\badd_test\s*\(\s*(?:NAME\s+)?[\w.:-]+\s+COMMAND\s+([\w-]+)|\btest\s*\(\s*'[^'\n]*'\s*,\s*(\w+)/g;

const testPath = /(?:^|[\s"'(/])(?:tests?|specs?|unit)\/|[_-]tests?\./;
