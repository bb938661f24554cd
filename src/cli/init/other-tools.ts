import type { Folder, Project } from "./folder.ts";
import { testTarget } from "./makefile.ts";

export function findGo({ has, find, read }: Folder): Project | undefined {
  // At the top of a workspace without its own module, `./...` matches nothing.
  const modules = [...read("go.work").matchAll(/^\s*(?:use\s+)?(\.(?:\/[\w.-]+)*)\/?\s*(?:\/\/.*)?$/gm)];
  const [tool, file] = modules.length > 0 ? ["go workspace", "go.work"] : ["go", "go.mod"];
  if (!has(file)) return undefined;
  const packages = modules.length > 0 ? modules.map(([, path]) => `${path}/...`) : ["./..."];
  return {
    tool,
    check: `go test ${packages.join(" ")}`,
    install: undefined,
    setup: [`- uses: actions/setup-go@v6\n  with:\n    go-version-file: ${find(file)}`],
  };
}

export function findRust({ has, read }: Folder): Project | undefined {
  if (!has("Cargo.toml")) return undefined;
  return {
    tool: "cargo",
    // Otherwise cargo stops at the first program with a failing test, and the others cannot be compared later.
    check: `cargo test${/^\[workspace/m.test(read("Cargo.toml")) ? " --workspace" : ""} --no-fail-fast`,
    install: undefined,
    setup: ["- run: rustup toolchain install stable --profile minimal"],
    note: "tests inside src/ cannot be protected from the agent without protecting the source; those in tests/ are",
  };
}

export function findMaven({ has }: Folder): Project | undefined {
  if (!has("pom.xml")) return undefined;
  return {
    tool: "maven",
    // Not quiet: a passing check must name or count its tests, which Maven's -q hides.
    check: has("mvnw") ? "./mvnw -B -ntp test" : "mvn -B -ntp test",
    install: undefined,
    setup: [java],
  };
}

export function findGradle({ has }: Folder): Project | undefined {
  // With several projects, the top folder has only settings.
  const marks = ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"];
  if (!marks.some(has)) return undefined;
  return {
    tool: "gradle",
    check: has("gradlew") ? "./gradlew test" : "gradle test",
    install: undefined,
    setup: [java],
  };
}

export function findRuby({ has, find }: Folder): Project | undefined {
  const hasVersion = [".ruby-version", ".tool-versions", "mise.toml"].some(
    (file) => find(file) !== undefined,
  );
  // The action has no default version.
  const version = hasVersion ? [] : ['ruby-version: "3.4"'];
  const setup = (more: readonly string[]) => {
    const options = [...version, ...more].map((line) => `\n    ${line}`).join("");
    return [`- uses: ruby/setup-ruby@v1${options === "" ? "" : `\n  with:${options}`}`];
  };
  if (!has("Gemfile"))
    return (has("Rakefile") || has("rakefile")) && (has("test") || has("spec"))
      ? { tool: "rake", check: has("test") ? "rake test" : "rake spec", install: undefined, setup: setup([]) }
      : undefined;
  const isRspec = has(".rspec") || has("spec");
  const isRails = has("bin/rails") && has("test");
  const [tool, check] = isRspec
    ? ["rspec with bundler", "bundle exec rspec"]
    : isRails
      ? ["rails", "bin/rails test"]
      : ["rake with bundler", "bundle exec rake test"];
  return {
    tool,
    check,
    install: "bundle install",
    setup: setup(["bundler-cache: true"]),
  };
}

export function findPhp({ has, read }: Folder): Project | undefined {
  const manifest = read("composer.json");
  const runner = ["pest", "phpunit"].find(
    (name) => manifest.includes(`"${name}`) || manifest.includes(`/${name}"`),
  );
  if (runner === undefined && !(manifest !== "" && (has("phpunit.xml") || has("phpunit.xml.dist"))))
    return undefined;
  return {
    tool: `${runner ?? "phpunit"} with composer`,
    check: `vendor/bin/${runner ?? "phpunit"}`,
    install: "composer install --no-interaction",
    setup: [],
  };
}

export function findDotnet({ names, read }: Folder): Project | undefined {
  const files = names();
  const isTest = (name: string) => /\.(?:cs|fs|vb)proj$/.test(name) && /Test\.Sdk|MSTest/.test(read(name));
  if (!files.some((name) => /\.slnx?$/.test(name) || isTest(name))) return undefined;
  return {
    tool: "dotnet",
    check: "dotnet test",
    install: undefined,
    setup: ['- uses: actions/setup-dotnet@v5\n  with:\n    dotnet-version: "10.0.x"'],
  };
}

export function findCmake({ read }: Folder): Project | undefined {
  if (!/^\s*(?:enable_testing|include\s*\(\s*CTest)\b/im.test(read("CMakeLists.txt"))) return undefined;
  return {
    tool: "cmake",
    check:
      "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure --no-tests=error",
    install: undefined,
    setup: [],
  };
}

/** The last choice: a Makefile with a target `test` or `check`. */
export function findMake(folder: Folder): Project | undefined {
  const target = testTarget(folder);
  return target && { tool: "make", check: `make ${target.name}`, install: undefined, setup: [] };
}

export const java =
  '- uses: actions/setup-java@v5\n  with:\n    distribution: temurin\n    java-version: "21"';
