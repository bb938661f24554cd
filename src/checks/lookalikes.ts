import type { Checkout } from "./checkout.ts";

/** A checkout whose files can be read on demand, before `text` is asked for them. */
export interface ReadableCheckout extends Checkout {
  read(paths: readonly string[]): Promise<void>;
}

/** More files make a project in which the question is not worth its time: then every name counts. */
const mostFiles = 1_500;

/**
 * Of files that are tests by their names: those that are code of the product, such as a module about laboratory tests.
 * That is proved if nothing in the file tests, and it has a place from which no tool runs tests, or code that the tests
 * import imports it in turn (JavaScript, TypeScript, Python): a helper of tests is imported by tests only.
 */
export async function productLookalikes(
  tests: readonly string[],
  checkout: ReadableCheckout,
): Promise<ReadonlySet<string>> {
  const files = new Set(checkout.paths);
  const placed = tests.filter((path) => isPlacedInProduct(path, files));
  const code = tests.filter((path) => importsOf(path) !== undefined);
  if (placed.length + code.length === 0 || placed.length + code.length > mostFiles) return new Set();
  await checkout.read([...placed, ...code]);
  const textOf = (path: string) => checkout.text(path) ?? "";
  const isTested = (path: string) => (isJvm.test(path) ? jvmTesting : testing).test(textOf(path));
  const laidOut = placed.filter((path) => textOf(path) !== "" && !isTested(path));
  return new Set([...laidOut, ...(await importedProducts(tests, code, checkout))]);
}

/** Maven, Gradle and sbt test nothing in `src/main`, Ruby's tools nothing in `app`; what Go's tests cover is code. */
const isPlacedInProduct = (path: string, files: ReadonlySet<string>): boolean =>
  /(?:^|\/)src\/main\/.*\.(?:java|kt|scala|groovy)$|^app\/.*\.rb$/.test(path) ||
  (/(?<!_test)\.go$/.test(path) && files.has(path.replace(/\.go$/, "_test.go")));

const isJvm = /\.(?:java|kt|scala|groovy)$/;
const jvmTesting =
  /@Test\b|\b(?:junit|testng|scalatest|spock|assertj|mockito|hamcrest|kotest)\b|kotlin\.test/i;

async function importedProducts(
  tests: readonly string[],
  code: readonly string[],
  checkout: ReadableCheckout,
): Promise<readonly string[]> {
  const files = new Set(checkout.paths);
  const textOf = (path: string) => checkout.text(path) ?? "";
  const imported = (path: string) => importsOf(path)?.(path, textOf(path), files) ?? [];
  const suspects = new Set(code.filter((path) => !testing.test(textOf(path))));
  const certain = new Set(tests.filter((path) => !suspects.has(path)));
  const isProduct = (path: string) => !certain.has(path);
  const used = code.filter((path) => certain.has(path)).flatMap(imported);
  const product = new Set(used.filter((path) => isProduct(path) && !suspects.has(path)));
  // Grows while it is read: what code of the product imports belongs to the product.
  for (const path of product) {
    if (product.size > mostFiles) return [];
    await checkout.read([path]);
    const next = testing.test(textOf(path)) ? [] : imported(path).filter(isProduct);
    for (const each of next) product.add(each);
  }
  return [...suspects].filter((path) => product.has(path));
}

/** What only tests and their helpers have. */
const testing =
  /\b(?:describe|suite|it|test|specify|expect|assert\w*|should|before(?:Each|All)?|after(?:Each|All)?|vi|jest|sinon|chai|cy|cypress)\s*[.(]|\b(?:node:)?(?:test|assert)["']|["'](?:@[\w-]*testing|vitest|jest|mocha|chai|sinon|nock|msw|supertest|@playwright)\b|^\s*(?:async\s+)?def\s+test|^\s*class\s+Test|\b(?:TestCase|pytest|unittest|doctest|mock|hypothesis)\b|^\s*assert\s/im;

type Imports = (path: string, text: string, files: ReadonlySet<string>) => readonly string[];

const importsOf = (path: string): Imports | undefined =>
  /\.[cm]?[jt]sx?$/.test(path) ? scriptImports : path.endsWith(".py") ? pythonImports : undefined;

const scriptImports: Imports = (path, text, files) =>
  [...text.matchAll(/(?:\bfrom|\bimport|\b(?:require|import)\s*\()\s*["'](\.{1,2}\/[^"'\n]+)["']/g)].flatMap(
    ([, name = ""]) => {
      const to = resolved(folderOf(path), name);
      const stem = to.replace(/\.([cm]?)jsx?$/, "");
      const all = [to, ...endings.flatMap((end) => [`${stem}${end}`, `${to}${end}`, `${to}/index${end}`])];
      return all.filter((each) => files.has(each)).slice(0, 1);
    },
  );

const endings = [".js", ".ts", ".jsx", ".tsx", ".mjs", ".mts", ".cjs", ".cts"] as const;

const pythonImports: Imports = (path, text, files) =>
  [
    ...text.matchAll(
      /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w, \t]+)|import[ \t]+([\w., \t]+))/gm,
    ),
  ].flatMap(([, from, names = "", modules = ""]) => {
    const asked =
      from === undefined
        ? listOf(modules)
        : [from, ...listOf(names).map((name) => (from.endsWith(".") ? from + name : `${from}.${name}`))];
    return asked.flatMap((module) => moduleFiles(module, path)).filter((each) => files.has(each));
  });

const listOf = (names: string) => names.split(",").flatMap((name) => /^\s*([\w.]+)/.exec(name)?.[1] ?? []);

/** Where Python may find a module: in the top folder, in `src`, or next to the file that imports it. */
function moduleFiles(module: string, importer: string): readonly string[] {
  const [, dots = "", name = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  const own = folderOf(importer);
  const bases = dots === "" ? ["", "src", own] : [resolved(own, "../".repeat(dots.length - 1))];
  return bases.flatMap((base) => {
    const stem = resolved(base, name.replaceAll(".", "/"));
    return [`${stem}.py`, `${stem}/__init__.py`];
  });
}

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** A path from a folder of the checkout. */
function resolved(folder: string, name: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${name}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
