import type { Checkout } from "./checkout.ts";

/** Where names of files can occur. */
export interface Naming {
  /** The checks and the scripts they call, as shell text. */
  readonly commands: string;
  /** The paths of configuration files that exist, relative to the checkout. */
  readonly config: readonly string[];
}

/**
 * Files that configure a check but do not have the usual names: those named by an option of a test runner or linter, as
 * in `vitest --config ci/unit.ts`, and those that configuration files load, such as `setupFiles` and imports. Returned
 * as globs: if a name has no extension, the glob covers several.
 */
export function namedFiles({ commands, config }: Naming, checkout: Checkout): readonly string[] {
  const globs = new Set<string>();
  const read = new Set<string>();
  const paths = new Set(checkout.paths);
  const manifests = checkout.paths.filter((path) => path.endsWith("/package.json")).map(folderOf);
  const folders = ["", ...manifests.slice(0, 50)];
  const queue = [...config];
  const add = (name: string, from: readonly string[]) => {
    for (const folder of from) {
      const path = resolve(folder, name);
      const matches = path === undefined ? undefined : candidates(path, name, paths);
      if (matches === undefined || isCode(matches)) continue;
      queue.push(matches);
      for (const glob of globsOf(path ?? "", matches)) globs.add(glob);
      return;
    }
  };
  for (const name of namesInCommands(commands)) add(name, folders);
  for (let path = queue.pop(); path !== undefined && read.size < 200; path = queue.pop()) {
    if (read.has(path)) continue;
    read.add(path);
    const text = settingsIn(path, checkout.text(path) ?? "").slice(0, mostLetters);
    const own = folderOf(path);
    for (const name of namesInSettings(text)) add(name, [own, ...folders]);
    if (isScript.test(path)) for (const name of namesInImports(text)) add(name, [own]);
  }
  return [...globs].filter((glob) => isPlain.test(glob)).slice(0, 100);
}

/** Globs of a file that was found, and of files that would be loaded in its place. */
function globsOf(path: string, found: string): readonly string[] {
  // Python imports a package before a module of the same name.
  if (found.endsWith(".py")) return [found, `${found.slice(0, -3)}/__init__.{py,pyc,so}`];
  if (isScript.test(path) || found === path) return [found];
  return [`${path}{,/index}.{${extensions.join(",")}}`];
}

/** More than any hand-written configuration has: a pattern that fails late costs time for each character. */
const mostLetters = 64 * 1024;

/** Of a manifest, only the settings of tools, because other fields name code. */
function settingsIn(path: string, text: string): string {
  if (!path.endsWith("package.json")) return text;
  try {
    const { jest, mocha, ava, vitest, tap, c8, nyc, eslintConfig, prettier, stylelint } = JSON.parse(text);
    return JSON.stringify([{ jest, mocha, ava, vitest, tap, c8, nyc, eslintConfig, prettier, stylelint }]);
  } catch {
    return "";
  }
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

const extensions = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "json"] as const;
const isScript = /\.[cm]?[jt]sx?$/;
/** These files have protected parts, which the tools list. */
const isManifest =
  /(?:^|\/)(?:package|composer|deno)\.json$|\.toml$|\.lock$|(?:^|\/)(?:requirements|constraints)[\w.-]*\.txt$|(?:^|\/)(?:setup\.(?:cfg|py)|go\.mod|pom\.xml|package-lock\.json)$/;
const isPlain = /^[\w@./ {},-]+$/;

/** The code under test, unless its name suggests that it sets up tests. */
const isCode = (path: string) =>
  isManifest.test(path) ||
  (/(?:^|\/)(?:src|lib|app|dist|out)\/|(?:^|\/)(?:index|main)\.\w+$/.test(path) &&
    !/(?:set-?up|tear-?down|test|spec|mock|jest|vitest|mocha|reporter)[^/]*$/i.test(path));

/** The path of a name in a file of this folder; `undefined` if it is outside the checkout. */
function resolve(folder: string, name: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}${name}`.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** The file that a path refers to, resolved like an import. */
function candidates(path: string, name: string, paths: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.([cm]?)js$/, ".$1ts");
  const others = /^\.{1,2}\//.test(name) ? extensions : [];
  const all = [path, stem, ...others.flatMap((end) => [`${path}.${end}`, `${path}/index.${end}`])];
  return all.find((each) => paths.has(each));
}

const runners =
  "vitest|jest|react-scripts|_?mocha|ava|tap|uvu|jasmine|karma|playwright|cypress|nyc|c8|eslint|biome|prettier|stylelint|(?:vue-)?tsc|py\\.?test|mypy|ruff|flake8|pylint|black|isort|(?:based)?pyright|coverage|tox|nox|behave|robot|rspec|rubocop|phpunit|pest|phpstan|psalm|prove|busted|golangci-lint|nextest|yamllint|markdownlint(?:-cli2?)?|shellcheck|web-test-runner|wtr|bats";
const options =
  "-[crpRfb]|--(?:[\\w-]*(?:config|project|require|import|loader|reporter|formatter|plugin|opts|setup|teardown|preload|helper|path)|(?:config|rc|ruleset|coverage-config)-?(?:file|path)|rcfile|file|options|env|environment|runner|build|b)";
const ofRunner = new RegExp(`(?<![\\w@.-])(?:${runners})(?![\\w-])([^;&|\\n]*)`, "g");
/** For these, `-c` means "check". */
const isFormatter = /(?<![\w@.-])(?:prettier|isort|black)(?![\w-])[^;&|\n]*/g;
const option = new RegExp(`(?:^|\\s)(?:${options})(?:=|\\s+)["']?([\\w@./-]+)`, "g");
const ofNode = /(?<![\w@.-])(?:node|tsx|ts-node)(?![\w-])((?:\s+-[^;&|\n]*)?)/g;
const nodeOption =
  /(?:^|\s)(?:-r|--(?:require|import|loader|experimental-loader|test-reporter|test-global-setup|experimental-config-file|experimental-test-isolation))(?:=|\s+)["']?([\w@./-]+)/g;

function namesInCommands(text: string): readonly string[] {
  const inOptions = (calls: RegExp, each: RegExp, from = text) =>
    [...from.matchAll(calls)].flatMap(([, rest = ""]) =>
      [...rest.matchAll(each)].map(([, name = ""]) => name),
    );
  const plugins = [...text.matchAll(/\bpytest\b[^;&|\n]*?\s-p\s+([a-z_][\w.]*)/g)];
  return [
    ...inOptions(
      ofRunner,
      option,
      text.replaceAll(isFormatter, (call) => call.replaceAll(" -c ", " ")),
    ),
    ...inOptions(ofNode, nodeOption),
    ...plugins.map(([, module = ""]) => moduleFile(module)),
  ].map((name) => (name.startsWith("/") || name.startsWith(".") ? name : `./${name}`));
}

const moduleFile = (module: string) => `${module.replaceAll(".", "/")}.py`;

const keys =
  "setupFiles(?:AfterEnv)?|projects|global(?:Setup|Teardown)|testEnvironment|environment|reporters?|runner|testRunner|testSequencer|transform|resolver|snapshotSerializers|preset|extends|require|import|loader|file|helpers|plugins?|jsPlugins|globalSetupFiles?|nodeArguments|load-plugins|init-hook";
const value = "\\[[^\\]]{0,4000}\\]|\\{[^}]{0,4000}\\}|[\"'][^\"'\\n]*[\"']|[\\w./@-]+";
const setting = new RegExp(
  `["']?(?<![\\w-])(?:${keys})["']?\\s*[:=]((?:[^\\S\\n]*\\n\\s*-\\s[^\\n]*)+|\\s*(?:${value}))`,
  "g",
);

/** The files named in settings: JSON, JavaScript, YAML, TOML or INI. */
function namesInSettings(text: string): readonly string[] {
  const inKeys = [...text.matchAll(setting)].flatMap(([, list = ""]) =>
    [...list.matchAll(/[\w@./<>-]+/g)].map(([name]) => name.replace(/^<rootDir>\//, "./")),
  );
  const plugins = [
    ...text.matchAll(/\bpytest_plugins\s*=\s*(\[[^\]]{0,4000}\]|\([^)]{0,4000}\)|["'][^"'\n]*["'])/g),
  ].flatMap(([, value = ""]) =>
    [...value.matchAll(/["']([\w.]+)["']/g)].map(([, module = ""]) => moduleFile(module)),
  );
  // How a conftest loads fixtures that others share.
  const shared = [...text.matchAll(/^from[ \t]+([a-z_][\w.]*)[ \t]+import[ \t]+\*/gm)].map(
    ([, module = ""]) => moduleFile(module),
  );
  const options = [...text.matchAll(/\baddopts\b[^\n]*?-p\s+([a-z_][\w.]*)/g)].map(([, module = ""]) =>
    moduleFile(module),
  );
  return [...inKeys.filter((name) => /[./]/.test(name)), ...plugins, ...shared, ...options];
}

const namesInImports = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.{1,2}\/[^"'\n]+)["']/g)].map(
    ([, name = ""]) => name,
  );
