/**
 * Recognizes new files that an import without an extension could load instead of a test helper: `helpers.mjs` next to
 * `helpers.js`, or a package with the name of a Python module. That module may also be a test, because runners import
 * tests by name. Takes the paths of the existing tests, and of all existing files.
 */
export function shadowsHelper(tests: readonly string[], paths: readonly string[]): (path: string) => boolean {
  const existing = new Set(paths);
  const helpers = tests.filter((path) => scripts.test(path) && !isNoHelper.test(path));
  const script = new Set(helpers.map(stemOf));
  const ruby = new Set(
    tests.filter((path) => rubyHelper.test(path)).map((path) => path.replace(rubyHelper, "$1lib/$2")),
  );
  const packages = new Set(
    tests
      .filter((path) => path.endsWith(".py"))
      .flatMap((path) => path.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/"))),
  );
  const python = new Set(tests.filter((path) => path.endsWith(".py")).map(stemOf));
  return (path) =>
    !existing.has(path) &&
    (ruby.has(path) ||
      (isLoadedFirst.test(path) && script.has(stemOf(path))) ||
      // A module takes precedence over a folder without `__init__.py`.
      (/\.(?:py|pyc|so)$/.test(path) &&
        packages.has(path.replace(/(?:\.[\w-]+)?\.(?:py|pyc|so)$/, "")) &&
        !existing.has(`${path.replace(/(?:\.[\w-]+)?\.(?:py|pyc|so)$/, "")}/__init__.py`)) ||
      (/\.so$|\/__init__\.py$/.test(path) &&
        python.has(path.replace(/\/__init__\.py$|(?:\.[\w-]+)?\.so$/, ""))));
}

const stemOf = (path: string) => path.replace(/\.\w+$/, "");
const scripts = /\.(?:[cm]?[jt]sx?|json)$/;
/** Not JSON, which is tried after all others. */
const isLoadedFirst = /\.[cm]?[jt]sx?$|(?:^|\/)[^./]+$/;
/** Files that Ruby tests load by their path below the test folder: rake searches `lib` before that folder. */
const rubyHelper = /^(.*?)(?:test|spec)\/((?:support|helpers?|matchers)\/.+\.rb)$/;
/** Tests, which no script imports, and data. */
const isNoHelper =
  /[._-](?:tests?|spec|cy|e2e)\.\w+$|(?:^|\/)test[_-][^/]*$|(?:^|\/)(?:fixtures|__fixtures__|golden|goldens|testdata|test[-_]data|data|cases|snapshots|__snapshots__|expected|examples)\//;
