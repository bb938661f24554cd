import type { Folder, Project } from "./folder.ts";

/** A target of a Makefile that runs the tests. */
interface TestTarget {
  readonly name: "test" | "check";
  readonly needs: string;
  readonly recipe: readonly string[];
}

/** The Makefile's target `test` or `check`. */
export function testTarget({ has, read }: Folder): TestTarget | undefined {
  const file = ["GNUmakefile", "Makefile", "makefile"].find(has);
  if (file === undefined) return undefined;
  const text = read(file).replaceAll("\\\n", " ");
  for (const name of ["test", "check"] as const) {
    const found = new RegExp(`^${name}[ \\t]*:(?!=)(.*)\\n?((?:\\t.*(?:\\n|$)|[ \\t]*#.*\\n)*)`, "m").exec(
      text,
    );
    if (found === null) continue;
    const [, needs = "", recipe = ""] = found;
    const lines = recipe.split("\n").map((line) => line.trim().replace(/^[@-]+/, ""));
    return {
      name,
      needs: needs.replace(/#.*/, "").trim(),
      recipe: lines.filter((line) => line !== "" && !line.startsWith("#")),
    };
  }
  return undefined;
}

/**
 * The project with the Makefile's own target instead of the bare tool, if the target calls that tool and adds
 * something: options, variables, another command, or another target that comes first. Targets that start containers
 * cannot run where agents work.
 */
export function withMakefile(project: Project, folder: Folder): Project {
  const target = testTarget(folder);
  const call = callOf(project.check);
  if (target === undefined || call === undefined) return project;
  const calls = target.recipe.filter((line) => call.test(line));
  if (
    calls.length === 0 ||
    target.recipe.some((line) => /\b(?:docker|podman|kubectl|vagrant|ssh)\b/.test(line))
  )
    return project;
  const addsMore =
    target.needs !== "" || target.recipe.length > calls.length || calls.some((line) => isMore(line, call));
  return addsMore ? { ...project, tool: `${project.tool} with make`, check: `make ${target.name}` } : project;
}

/** How Makefiles call the tools that are found by their files; npm's script `test` is the project's own already. */
function callOf(check: string): RegExp | undefined {
  const [tool] =
    /go test|cargo test|pytest|unittest|mvnw?\b|gradlew?\b|rspec|rake|phpunit|pest|dotnet test|ctest|swift test|deno test|mix test|tox|nox/.exec(
      check,
    ) ?? [];
  return tool === undefined
    ? undefined
    : new RegExp(`(?:^|[\\s/;&(])${tool.replaceAll(" ", "\\s+(?:\\S+\\s+)??")}(?=\\s|$)`);
}

/** Options and arguments that change nothing about which tests run, and how. */
const usual =
  /^(?:-[vqs]+|--verbose|--quiet|\.\/\.\.\.|\.|tests?\/?|--no-fail-fast|--workspace|--all|-B|-ntp|--no-transfer-progress|-count=1|test|\$[({](?:ARGS|TESTARGS|TESTFLAGS|GOFLAGS|PYTEST_ARGS|args)[)}])$/;

function isMore(line: string, call: RegExp): boolean {
  const found = call.exec(line);
  const before = line.slice(0, found?.index).trim();
  const after = line.slice((found?.index ?? 0) + (found?.[0].length ?? 0)).trim();
  const isPlainStart =
    /^(?:(?:uv|poetry|pdm|pipenv|hatch) run|python3? -m|bundle exec|vendor\/bin|\.|\$[({]\w+[)}](?: -m)?)?$/.test(
      before.replace(/\/$/, ""),
    );
  return !isPlainStart || after.split(/\s+/).some((word) => word !== "" && !usual.test(word));
}
