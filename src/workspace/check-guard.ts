import type { Checkout as Files } from "../checks/checkout.ts";
import { shadowsHelper } from "../checks/shadowed-helpers.ts";
import type { ConfigPart } from "../checks/tools/tool.ts";
import type { InUse } from "../checks/tools-in-use.ts";
import { formatOf, objectId, readObjects } from "../git/objects.ts";
import type { CheckGuard } from "../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { provenFiles } from "./verify-tree.ts";

/** What is protected in a checkout by default, without being named. Paths are relative to the checkout's top. */
export interface Guard {
  readonly use: InUse;
  /** Configuration and scripts of the checks: they are protected, and none may be added. */
  isConfig(path: string): boolean;
  /** Tests: they are protected, but new ones may be added. */
  isTest(path: string): boolean;
  /** The protected parts of a file. */
  partsOf(path: string): readonly ConfigPart[];
}

const guards = new Map<string, Promise<Guard>>();

/** Finds what to guard, in a commit that no agent has changed. Called before an agent starts; the result is cached. */
export function guardOf(checkout: Checkout, commit: string, check: CheckGuard): Promise<Guard> {
  const key = JSON.stringify([checkout.store, checkout.prefix, commit, check]);
  const guard = guards.get(key) ?? findGuard(checkout, commit, check);
  guards.set(key, guard);
  guard.catch(() => guards.delete(key));
  return guard;
}

async function findGuard(checkout: Checkout, commit: string, check: CheckGuard): Promise<Guard> {
  const { prefix } = checkout;
  const texts = await readTexts(checkout, commit);
  // Loads large tables, which only loops with a check need.
  const { toolsInUse } = await import("../checks/tools-in-use.ts");
  const { testGlobs } = await import("../checks/tools/index.ts");
  const { productLookalikes } = await import("../checks/lookalikes.ts");
  const files = { paths: [...texts.names], text: (path: string) => texts.of(path) };
  const use = toolsInUse(check.scripts, files);
  const match = (globs: readonly string[]) => matchFrom(prefix, globs);
  const configured = await namedBy(use, files, texts.read);
  const [isAllowed, isConfig, isTest] = await Promise.all([
    match(check.allow),
    match([...use.config, ...use.scripts, ...configured]),
    match(check.tests ? testGlobs : []),
  ]);
  const parts = await Promise.all(
    use.parts.map(async (part) => ({ part, matches: await match([part.file]) })),
  );
  const named = files.paths.filter((path) => isTest(prefix + path));
  const products = await productLookalikes(named, { ...files, read: texts.read });
  const tests = named.filter((path) => !products.has(path));
  const shadowing = shadowsHelper(tests, files.paths);
  const isSecond = (path: string) => path.startsWith(prefix) && shadowing(path.slice(prefix.length));
  return {
    use,
    isConfig: (path) => (isConfig(path) || isSecond(path)) && !isAllowed(path),
    isTest: (path) => isTest(path) && !products.has(path.slice(prefix.length)) && !isAllowed(path),
    partsOf: (path) =>
      isAllowed(path) ? [] : parts.filter(({ matches }) => matches(path)).map(({ part }) => part),
  };
}

/** The files that configuration of tools names, directly or through other named files. */
async function namedBy(
  use: InUse,
  files: Files,
  read: (paths: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  const { namedFiles } = await import("../checks/named-files.ts");
  const isConfig = await matchFrom("", [...use.config, ...use.parts.map(({ file }) => file)]);
  const config = files.paths.filter(isConfig).slice(0, 500);
  await read(config);
  for (let round = 0, known = -1; ; round++) {
    const named = namedFiles({ commands: use.commands, config }, files);
    if (named.length === known || round === 3) return named;
    known = named.length;
    await read(files.paths.filter(await matchFrom("", named)));
  }
}

/** Manifests and scripts are read to see which tools they call; a larger file is neither. */
const mostBytes = 256 * 1024;

/** The files of the workspace's folder in a commit, and the text of those that may call tools. */
async function readTexts({ store, prefix }: Checkout, commit: string) {
  const files = (await provenFiles(store, commit)).filter(
    ({ path, mode }) => path.startsWith(prefix) && mode.startsWith("100"),
  );
  const objects = new Map(files.map(({ path, object }) => [path.slice(prefix.length), object]));
  const texts = new Map<string, string>();
  const read = async (paths: readonly string[]) => {
    const unread = paths.filter((path) => !texts.has(path)).slice(0, 500);
    const ids = unread.map((path) => objects.get(path) ?? "");
    const bodies = ids.length === 0 ? [] : await readObjects(store, ids);
    for (const [at, path] of unread.entries()) {
      const [body, id = ""] = [bodies[at], ids[at]];
      const isWhole =
        body !== undefined && body.length <= mostBytes && objectId(formatOf(id), "blob", body) === id;
      texts.set(path, isWhole ? body.toString("utf8") : "");
    }
  };
  await read([...objects.keys()].filter(mayCall));
  const of = (path: string) => texts.get(path) ?? (objects.has(path) ? "" : undefined);
  return { names: objects.keys(), of, read };
}

const mayCall = (path: string) =>
  !path.includes("/")
    ? !/\.(?:lock|md|png|jpg|svg)$|lock\.json$/.test(path)
    : /\.(?:sh|bash|mk|py|js|mjs|pl|rb)$|\/[^./]+$|\/(?:package|composer|project)\.json$|\/tox\.ini$|\/(?:CMakeLists\.txt|meson\.build)$/.test(
          path,
        )
      ? path.split("/").length <= 3
      : helperOfGo.test(path);

/** A package of Go that may be a helper of tests: its import of `testing` tells. */
const helperOfGo =
  /(?:^|\/)[^/]*(?:test|check|assert|mock|fake|must|require|suite|harness|fixture|expect|equal)[^/]*\/[^/]+(?<!_test)\.go$/;

/** Returns a function that tests whether a path, relative to the checkout's top, matches these globs. */
export async function matchFrom(
  prefix: string,
  globs: readonly string[],
): Promise<(path: string) => boolean> {
  if (globs.length === 0) return () => false;
  const { matchProjectGlobs } = await import("./match-globs.ts");
  const matches = matchProjectGlobs(globs);
  return (path) => path.startsWith(prefix) && matches(path.slice(prefix.length));
}
