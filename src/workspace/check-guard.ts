import { platform } from "node:process";
import type { ConfigPart } from "../checks/tools/tool.ts";
import type { InUse } from "../checks/tools-in-use.ts";
import { formatOf, objectId, readObjects } from "../git/objects.ts";
import type { CheckGuard } from "../ports/workspace.ts";
import type { Checkout } from "./checkout.ts";
import { provenFiles } from "./verify-tree.ts";

/** What of a checkout is protected without its author naming it. Paths count from the checkout's top. */
export interface Guard {
  readonly use: InUse;
  /** Configuration and scripts of the checks: protected, and none may be added. */
  isConfig(path: string): boolean;
  /** Tests: protected; others may be added. */
  isTest(path: string): boolean;
  /** The parts of a file that are kept. */
  partsOf(path: string): readonly ConfigPart[];
}

const guards = new Map<string, Promise<Guard>>();

/** Finds what to guard from a commit that no agent has touched. Asked for before one works, and kept. */
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
  // Large tables, which only loops with a check need.
  const { toolsInUse } = await import("../checks/tools-in-use.ts");
  const { testGlobs } = await import("../checks/tools/index.ts");
  const use = toolsInUse(check.scripts, { paths: [...texts.names], text: (path) => texts.of(path) });
  const match = (globs: readonly string[]) => matchFrom(prefix, globs);
  const [isAllowed, isConfig, isTest] = await Promise.all([
    match(check.allow),
    match([...use.config, ...use.scripts]),
    match(check.tests ? testGlobs : []),
  ]);
  const parts = await Promise.all(
    use.parts.map(async (part) => ({ part, matches: await match([part.file]) })),
  );
  return {
    use,
    isConfig: (path) => isConfig(path) && !isAllowed(path),
    isTest: (path) => isTest(path) && !isAllowed(path),
    partsOf: (path) =>
      isAllowed(path) ? [] : parts.filter(({ matches }) => matches(path)).map(({ part }) => part),
  };
}

/** A manifest or a script is read to see which tools it calls; a larger file is none. */
const mostBytes = 256 * 1024;

/** The files of the workspace's folder in a commit, and the texts of those that may call tools. */
async function readTexts({ store, prefix }: Checkout, commit: string) {
  const files = (await provenFiles(store, commit)).filter(
    ({ path, mode }) => path.startsWith(prefix) && mode.startsWith("100"),
  );
  const telling = files.filter(({ path }) => mayCall(path.slice(prefix.length))).slice(0, 500);
  const bodies = await readObjects(
    store,
    telling.map(({ object }) => object),
  );
  const texts = new Map<string, string>();
  for (const [at, { path, object }] of telling.entries()) {
    const body = bodies[at];
    if (body === undefined || body.length > mostBytes || objectId(formatOf(object), "blob", body) !== object)
      continue;
    texts.set(path.slice(prefix.length), body.toString("utf8"));
  }
  const names = new Set(files.map(({ path }) => path.slice(prefix.length)));
  return { names, of: (path: string) => texts.get(path) ?? (names.has(path) ? "" : undefined) };
}

const mayCall = (path: string) =>
  !path.includes("/")
    ? !/\.(?:lock|md|png|jpg|svg)$|lock\.json$/.test(path)
    : /\.(?:sh|bash|mk|py|js|mjs|pl|rb)$|\/[^./]+$|\/(?:package|composer)\.json$|\/tox\.ini$/.test(path) &&
      path.split("/").length <= 3;

/** Whether a path, counted from the checkout's top, is one that the globs mean. */
export async function matchFrom(
  prefix: string,
  globs: readonly string[],
): Promise<(path: string) => boolean> {
  if (globs.length === 0) return () => false;
  const { matchGlobs } = await import("./match-globs.ts");
  const nocase = platform === "darwin" || platform === "win32";
  const patterns = globs.map((glob) => glob.replace(/^(\.?\/)+/, "").replace(/\/$/, "/**"));
  const matches = matchGlobs(patterns, { nocase });
  return (path) => path.startsWith(prefix) && matches(path.slice(prefix.length));
}
