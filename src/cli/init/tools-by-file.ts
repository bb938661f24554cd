import type { Folder, Project } from "./folder.ts";
import { java } from "./other-tools.ts";

/** A tool that is recognized by a file in the project's top folder. */
interface Row extends Omit<Project, "install"> {
  /** File names, one of which must exist; `*.ext` matches any name. */
  readonly files: readonly string[];
  /** Text that one of these files must contain. */
  readonly content?: RegExp;
  /** Another file that must exist. */
  readonly alsoNeeds?: string;
  readonly install?: string;
}

/** Tools that are recognized by their files alone. */
const languages: readonly Row[] = [
  {
    files: ["deno.json", "deno.jsonc", "deno.lock"],
    tool: "deno",
    check: "deno test",
    setup: ["- uses: denoland/setup-deno@v2"],
  },
  {
    files: ["mix.exs"],
    tool: "mix",
    check: "mix test",
    install: "mix local.hex --force && mix deps.get",
    setup: ['- uses: erlef/setup-beam@v1\n  with:\n    otp-version: "27"\n    elixir-version: "1.18"'],
  },
  { files: ["Package.swift"], alsoNeeds: "Tests", tool: "swift", check: "swift test", setup: [] },
  {
    files: ["pubspec.yaml"],
    content: /^\s*sdk:\s*flutter\b/m,
    tool: "flutter",
    check: "flutter test",
    install: "flutter pub get",
    setup: ["- uses: subosito/flutter-action@v2"],
  },
  {
    files: ["pubspec.yaml"],
    tool: "dart",
    check: "dart test",
    install: "dart pub get",
    setup: ["- uses: dart-lang/setup-dart@v1"],
  },
  { files: ["build.sbt"], tool: "sbt", check: "sbt test", setup: [java, "- uses: sbt/setup-sbt@v1"] },
  { files: ["stack.yaml"], tool: "stack", check: "stack test", setup: [] },
  { files: ["cabal.project", "*.cabal"], tool: "cabal", check: "cabal test all", setup: [] },
  {
    files: ["build.zig"],
    content: /\btest\b/,
    tool: "zig",
    check: "zig build test --summary all",
    setup: ["- uses: mlugg/setup-zig@v2"],
  },
  { files: ["MODULE.bazel", "WORKSPACE"], tool: "bazel", check: "bazel test //...", setup: [] },
  {
    files: ["meson.build"],
    tool: "meson",
    check: "{ test -d build || meson setup build; } && meson test -C build --print-errorlogs",
    setup: ["- run: pipx install meson"],
  },
  {
    files: ["Makefile.PL", "Build.PL", "cpanfile", "dist.ini"],
    alsoNeeds: "t",
    tool: "prove",
    check: "prove -lrv t",
    setup: [],
  },
];

/** Tools that only call others: the last choice. */
const callers: readonly Row[] = [
  {
    files: ["justfile", "Justfile", ".justfile"],
    content: /^@?test\b[^:=\n]*:(?!=)/m,
    tool: "just",
    check: "just test",
    setup: ["- uses: extractions/setup-just@v4"],
  },
  {
    files: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
    content: /^\s+test:/m,
    tool: "task",
    check: "task test",
    setup: ["- uses: arduino/setup-task@v3"],
  },
  bats("test"),
  bats("tests"),
];

export const findByFile = finder(languages);
export const findCaller = finder(callers);

function finder(rows: readonly Row[]): (folder: Folder) => Project | undefined {
  return (folder) => {
    for (const { files, content, alsoNeeds, install, ...project } of rows) {
      const path = files.map((file) => fileIn(folder, file)).find((file) => file !== undefined);
      if (path === undefined || (content !== undefined && !content.test(folder.read(path)))) continue;
      if (alsoNeeds !== undefined && !folder.has(alsoNeeds)) continue;
      return { ...project, install };
    }
    return undefined;
  };
}

function bats(folder: string): Row {
  return {
    files: [`${folder}/*.bats`],
    tool: "bats",
    check: `bats --recursive ${folder}`,
    setup: ["- run: npm install --global bats"],
  };
}

/** The path of this file, or of the first one that matches `*.ext`. */
function fileIn({ has, names }: Folder, file: string): string | undefined {
  if (!file.includes("*")) return has(file) ? file : undefined;
  const below = file.slice(0, file.lastIndexOf("/") + 1);
  const ending = file.slice(file.indexOf("*") + 1);
  const match = names(below).find((name) => name.endsWith(ending) && name !== ending);
  return match === undefined ? undefined : `${below}${match}`;
}
