import type { Checkout } from "./checkout.ts";
import { ownSettings } from "./own-settings.ts";
import { setupOf } from "./setup.ts";
import { shadowingFiles } from "./shadowing-modules.ts";
import { testPrograms } from "./test-programs.ts";
import {
  helpersOfGo,
  newWorkspace,
  ownCops,
  sourcedSettings,
  systemHeaders,
  vendoredFolder,
  vendoredLibraries,
} from "./test-support.ts";
import { tools } from "./tools/index.ts";
import type { ConfigPart, Tool } from "./tools/tool.ts";

/** The files, other than the code, on which a check depends. */
export interface InUse {
  /** Ids of the tools. */
  readonly tools: readonly string[];
  readonly config: readonly string[];
  readonly parts: readonly ConfigPart[];
  /** Scripts that the check calls by path. */
  readonly scripts: readonly string[];
  /** The checks and the scripts they call, as shell text. */
  readonly commands: string;
  /** Prepares a fresh clone for the check. */
  readonly setup: string | undefined;
}

/** Finds the tools that checks use, directly or through `npm test`, a makefile or a script of the repository. */
export function toolsInUse(checks: readonly string[], checkout: Checkout): InUse {
  const called = runnersOf(checks, checkout);
  const runners = called.map(({ text: commands }) => commands);
  const tooling = called.flatMap(({ folder, tests }) => calledScripts(tests, checkout, folder));
  const scripts = withCalled(
    [
      ...calledScripts(checks.join("\n"), checkout),
      ...called.flatMap(({ folder, text: commands }) => calledScripts(commands, checkout, folder)),
    ],
    checkout,
  );
  const text = [...checks, ...scripts.flatMap((path) => checkout.text(path) ?? []), ...runners].join("\n");
  const shellTexts = scripts
    .filter((path) => path.endsWith("sh"))
    .flatMap((path) => checkout.text(path) ?? []);
  const used = tools.filter(({ called }) => called?.test(text));
  const own = ownSettings([...checks, ...runners, ...shellTexts].join("\n"));
  const ids = used.map(({ id }) => id);
  return {
    tools: ids,
    config: [
      ...used.flatMap(({ config = [] }) => config),
      ...own.config,
      ...vendoredLibraries(checkout),
      ...scripts.flatMap(vendoredFolder),
      ...sourcedSettings(scripts, checkout),
      ...helpersOfGo(ids, checkout),
      ...newWorkspace(ids, checkout),
      ...ownCops(ids, checkout),
      ...systemHeaders(ids, checkout),
      ...includedFiles(runners.join("\n")),
      ...targetFiles(runners.join("\n"), checkout.paths, folderOf(checks)),
      ...shadowingFiles({
        tools: ids,
        paths: checkout.paths,
        text: [text, ...settings.flatMap((path) => checkout.text(path) ?? [])].join("\n"),
        started: [folderOf(checks), ...scripts.map((path) => path.slice(0, path.lastIndexOf("/") + 1))],
      }),
    ],
    parts: [...used.flatMap(({ parts = [] }: Tool) => parts), ...own.parts, ...testPrograms(checkout)],
    scripts: [
      ...new Set([
        ...scripts.filter((path) => isCheckScript.test(path) || isLauncher.test(path)),
        ...tooling.filter((path) => inToolFolder.test(path)),
      ]),
    ],
    commands: text,
    setup: setupFor(checks, checkout),
  };
}

/** pytest's settings, which may add folders where Python looks for modules. */
const settings: readonly string[] = ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];

/** Only names of this form, because `python3 app.py` may be the code under test. */
const isCheckScript = /(?:^|[/_.-])(?:tests?|specs?|checks?|ci|verify|lint|run-tests|runtests)(?:[/_.-]|$)/i;

/** Programs that frameworks generate in a project, and that start tests among other things. */
const isLauncher = /(?:^|\/)(?:rails|rake|rspec|artisan|manage\.py|phpunit|pest)$/;

/** The folders in which a project keeps scripts that are not part of its product. */
const inToolFolder = /(?:^|\/)(?:tools?|tooling|scripts?|build|config|dev|hack|support|\.github)\/[^/]+$/;

/** The folder that the checks change to, ending with a slash; empty for the top. */
function folderOf([check = ""]: readonly string[]): string {
  const folder = /^\s*cd\s+(['"]?)(?:\.\/)?([\w@][\w@./-]*?)\/?\1\s*(?:&&|;|\n)/.exec(check)?.[2];
  return folder === undefined || folder.includes("..") ? "" : `${folder}/`;
}

/** Chosen by the files in the folder that the checks change to, or at the top. */
function setupFor(checks: readonly string[], { paths }: Checkout): string | undefined {
  const within = folderOf(checks);
  const names = paths.filter((path) => path.startsWith(within)).map((path) => path.slice(within.length));
  const setup = setupOf(names.filter((name) => !name.includes("/")));
  return setup === undefined || within === "" ? setup : `cd ${within} && { ${setup}; }`;
}

/** The files of the checkout that shell text names. */
export function calledScripts(check: string, { text }: Checkout, folder = ""): readonly string[] {
  const tokens = check.split(/[\s;&|()'"`=<>]+/).map((token) => token.replace(/^(?:\.\/)+/, ""));
  const paths = tokens.filter((token) => /^[\w@][\w@./-]*$/.test(token) && !token.includes(".."));
  return [...new Set(paths)]
    .slice(0, 200)
    .map((path) => folder + path)
    .filter((path) => text(path) !== undefined);
}

/** Includes the scripts that these shell scripts call or source. */
function withCalled(scripts: readonly string[], checkout: Checkout): readonly string[] {
  const inner = scripts
    .filter((path) => /\.(?:ba)?sh$|(?:^|\/)[^.]+$/.test(path))
    .flatMap((path) => calledScripts(checkout.text(path) ?? "", checkout));
  return [...new Set([...scripts, ...inner])].slice(0, 100);
}

/** The files that makefiles include, if the name contains no variable. */
const includedFiles = (makefiles: string): readonly string[] =>
  [...makefiles.matchAll(/^[ \t]*[-s]?include[ \t]+([^#\n]+)/gm)]
    .flatMap(([, names = ""]) => names.trim().split(/\s+/))
    .filter((name) => /^[\w./-]+$/.test(name) && !name.includes(".."))
    .map((name) => `**/${name.replace(/^(?:\.?\/)+/, "")}`);

/** Make considers a target done if a file or folder of that name exists, unless the target is declared phony. */
function targetFiles(makefiles: string, paths: readonly string[], within: string): readonly string[] {
  const phony = new Set(
    [...makefiles.matchAll(/^\.PHONY\s*:+((?:\\\n|[^\n])*)/gm)].flatMap(([, names = ""]) =>
      names.split(/[\s\\]+/),
    ),
  );
  const targets = [...makefiles.matchAll(/^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?!=)/gm)]
    .flatMap(([, names = ""]) => names.split(/[ \t]+/))
    .filter((name) => isCheckScript.test(name) && !phony.has(name));
  return [...new Set(targets)]
    .map((name) => within + name)
    .filter((target) => !paths.some((path) => path === target || path.startsWith(`${target}/`)))
    .flatMap((target) => [target, `${target}/**`]);
}

interface Runner {
  /** The folder, ending with a slash; empty for the top. */
  readonly folder: string;
  readonly text: string;
  /** The part of the text that tests or checks. */
  readonly tests: string;
}

/** What `npm test`, `make test` and similar commands would run, at the top or in any other folder. */
function runnersOf(checks: readonly string[], { paths, text }: Checkout): readonly Runner[] {
  const named = (pattern: RegExp, testsOf: (text: string) => Pick<Runner, "text" | "tests">) =>
    paths
      .filter((path) => pattern.test(path))
      .map((path) => ({
        folder: path.slice(0, path.lastIndexOf("/") + 1),
        ...testsOf(text(path) ?? ""),
      }));
  const check = checks.join("\n");
  const called = startsTasks.test(check)
    ? named(taskFile, (file) => ({ text: file, tests: "" })).concat(
        named(/(?:^|\/)pyproject\.toml$/, (file) => ({ text: taskTables(file), tests: "" })),
      )
    : [];
  const calls = [check, ...called.map(({ text: file }) => file)].join("\n");
  const scripts = /\b(?:npm|pnpm|yarn|bun|nx|turbo|lerna)\b/.test(calls)
    ? named(/(?:^|\/)package\.json$/, packageScripts)
    : [];
  const all = [calls, ...scripts.map(({ text: commands }) => commands)].join("\n");
  const projects = /\b(?:nx|ng)\b/.test(all)
    ? named(/(?:^|\/)(?:nx|project|angular)\.json$/, (file) => ({ text: file, tests: "" }))
    : [];
  return [...called, ...scripts, ...projects];
}

const startsTasks =
  /\b(?:make|just|task|rake|tox|nox|composer|pre-commit|prek|poe|invoke|inv|doit|duty|pipenv|pixi|rye|pdm|hatch)\b/;

const taskFile =
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|[\w-]+\.mk|[Jj]ustfile|[Tt]askfile\.ya?ml|Rakefile|tox\.ini|noxfile\.py|composer\.json|\.pre-commit-config\.ya?ml|poe_tasks\.(?:toml|ya?ml|json)|Pipfile|pixi\.toml)$|^(?:tasks(?:\/\w+)?|dodo|duties)\.py$/;

/** The tables of a `pyproject.toml` that define tasks. */
const taskTables = (manifest: string) =>
  manifest
    .split(/^(?=[ \t]*\[)/m)
    .filter((table) => /^[ \t]*\[tool\.[\w.-]*(?:tasks|scripts|envs)\b/.test(table))
    .join("");

function packageScripts(manifest: string): Pick<Runner, "text" | "tests"> {
  try {
    const { scripts } = JSON.parse(manifest) as {
      readonly scripts?: Readonly<Record<string, unknown>>;
    };
    const all = Object.entries(scripts ?? {}).filter(([, script]) => typeof script === "string");
    const tests = all.filter(([name]) =>
      /^(?:pre|post)?(?:test|check|lint|verify|ci|unit|spec)\b/.test(name),
    );
    return { text: valuesOf(all), tests: valuesOf(tests) };
  } catch {
    return { text: "", tests: "" };
  }
}

const valuesOf = (entries: readonly (readonly [string, unknown])[]) =>
  entries.map(([, value]) => value).join("\n");
