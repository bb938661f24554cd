import { describe, expect, test } from "vitest";
import { guardOf } from "./guard-of.ts";

describe("a workspace of Go", () => {
  const work = "go 1.21\n\nuse (\n\t./app\n\t./lib\n)\n";
  const { kept, refuses } = guardOf("go test ./app/...", { "go.work": work });

  test.each(["use ./fake", "replace example.com/lib => ./fake", "replace example.com/lib v1.0.0 => ./fake"])(
    "gets no other modules: %s",
    (line) => {
      expect(kept("go.work", `${work}${line}\n`)).toBe(work);
    },
  );

  test("may follow its modules to another version of Go and of packages", () => {
    const newer = work.replace("go 1.21", "go 1.22\n\ntoolchain go1.22.3");
    expect(kept("go.work", newer)).toBe(newer);
    expect(refuses("go.work.sum")).toBe(false);
  });

  test("is not added", () => {
    expect(guardOf("go test", { "go.mod": "module x\n" }).refuses("go.work")).toBe(true);
  });
});

describe("RuboCop's own cops", () => {
  const cop = "lib/rubocop/cop/no_sub.rb";
  test("are configuration", () => {
    const { refuses } = guardOf("rubocop", { [cop]: "", "lib/add.rb": "" });
    expect([cop, "lib/rubocop/other.rb", "lib/add.rb"].map(refuses)).toEqual([true, true, false]);
  });

  test("are code where tests cover them", () => {
    const { refuses } = guardOf("rspec && rubocop", { [cop]: "", "spec/rubocop/cop/no_sub_spec.rb": "" });
    expect(refuses(cop)).toBe(false);
  });
});

describe("Composer", () => {
  const text = (autoload: object) => JSON.stringify({ name: "a/b", autoload }, undefined, 4);
  const before = text({ "psr-4": { "App\\": "src/" } });
  const { kept } = guardOf("phpunit", { "composer.json": before });

  test.each(["PHPUnit\\Framework\\", "Mockery\\"])("loads no test library from the checkout: %s", (name) => {
    expect(kept("composer.json", text({ "psr-4": { "App\\": "src/", [name]: "fake/" } }))).toBe(before);
  });

  test("may load more code", () => {
    const more = text({ "psr-4": { "App\\": "src/", "Lib\\": "lib/" }, files: ["src/helpers.php"] });
    expect(kept("composer.json", more)).toBe(more);
  });
});

describe("Clojure", () => {
  const edn =
    '{:paths ["src"]\n :deps {a/b {:mvn/version "1"}}\n :aliases {:test {:extra-paths ["test"]\n                  :main-opts ["-m" "x"]}}}\n';
  const { kept, refuses } = guardOf("clojure -M:test", { "deps.edn": edn });

  test.each([
    edn.replace('"-m" "x"', '"-e" "(System/exit 0)"'),
    edn.replace('{a/b {:mvn/version "1"}}', '{a/b {:mvn/version "1"}\n        t/t {:local/root "fake"}}'),
  ])("keeps its test alias, and takes no package from the checkout", (text) => {
    expect(kept("deps.edn", text)).toBe(edn);
  });

  test("may use more packages", () => {
    const more = edn.replace(
      '{a/b {:mvn/version "1"}}',
      '{a/b {:mvn/version "1"}\n        c/d {:mvn/version "2"}}',
    );
    expect(kept("deps.edn", more)).toBe(more);
  });

  test("loads nothing before the tests", () => {
    const paths = [
      "src/user.clj",
      "src/data_readers.cljc",
      "src/clojure/test.clj",
      "tests.edn",
      "src/users.clj",
    ];
    expect(paths.map(refuses)).toEqual([true, true, true, true, false]);
  });
});

test("lintr keeps its settings, which other checks of R do not read", () => {
  expect(guardOf("Rscript -e 'lintr::lint_package()'", {}).refuses(".lintr")).toBe(true);
  expect(guardOf("R CMD check .", {}).refuses(".lintr")).toBe(false);
});

describe("sbt", () => {
  const build =
    'scalaVersion := "3.3.1"\nlibraryDependencies += "org.scalameta" %% "munit" % "1.0.0" % Test\n';
  const { kept, refuses } = guardOf("sbt test", { "build.sbt": build });

  test.each([
    "Test / skip := true",
    'resolvers += "local" at "file:repo"',
    "Test / testOptions += Tests.Filter(_ => false)",
    'addCommandAlias("test", "version")',
    'libraryDependencies += "org.scalameta" %% "munit" % "1.0.0" % Test from "file:fake.jar"',
  ])("has no new lines about tests: %s", (line) => {
    expect(kept("build.sbt", `${build}${line}\n`)).toBe(build);
    expect(kept("project/plugins.sbt", `${line}\n`)).toBe("");
  });

  test.each([
    'libraryDependencies += "org.typelevel" %% "cats-core" % "2.10.0"',
    'libraryDependencies += "org.scalacheck" %% "scalacheck" % "1.17.0" % Test',
    'scalacOptions += "-deprecation"',
    "publish / skip := true",
    'resolvers += "more" at "https://repo.example.com"',
    'excludeDependencies += "org.slf4j" % "slf4j-log4j12"',
  ])("may have others: %s", (line) => {
    expect(kept("build.sbt", `${build}${line}\n`)).toBe(`${build}${line}\n`);
  });

  test("finds no classes in place of those of a test library", () => {
    expect(refuses("src/main/scala/org/scalatest/Assertions.scala")).toBe(true);
  });
});

describe("Package.swift", () => {
  const text =
    'let package = Package(\n  name: "X",\n  targets: [\n    .target(name: "X"),\n    .testTarget(name: "XTests", dependencies: ["X"]),\n  ]\n)\n';
  const { kept } = guardOf("swift test", { "Package.swift": text });

  test.each([
    text.replace('dependencies: ["X"]', 'dependencies: ["X"], exclude: ["A.swift"]'),
    text.replace(/ +\.testTarget.*\n/, ""),
    text.replace('"X"),', '"X", swiftSettings: [.unsafeFlags(["-Ounchecked"])]),'),
  ])("keeps its tests", (other) => {
    expect(kept("Package.swift", other)).toBe(text);
  });

  test("may have another target", () => {
    const more = text.replace('.target(name: "X"),', '.target(name: "X"),\n    .target(name: "Y"),');
    expect(kept("Package.swift", more)).toBe(more);
  });
});
