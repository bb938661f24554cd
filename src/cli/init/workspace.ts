import type { Folder } from "./folder.ts";

/** A package manager. */
export type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** What is read of a `package.json`. */
export interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly packageManager?: string;
  readonly workspaces?: unknown;
}

interface Root {
  readonly manager: Manager;
  readonly manifest: Manifest | undefined;
}

/**
 * The tests of all packages of a JavaScript workspace whose top has no script for them, by the tool that knows the
 * packages; `undefined` if this is no top of a workspace, or no package has a script `test`.
 */
export function ofWorkspace(
  folder: Folder,
  { manager, manifest }: Root,
): { readonly tool: string; readonly check: string } | undefined {
  const isTop =
    folder.has("pnpm-workspace.yaml") || manifest?.workspaces !== undefined || folder.has("lerna.json");
  if (!isTop || !hasTestedPackage(folder)) return undefined;
  const bin =
    manager === "pnpm" ? "pnpm exec" : manager === "yarn" ? "yarn run" : manager === "bun" ? "bunx" : "npx";
  for (const [file, tool, command] of runners)
    if (folder.has(file)) return { tool: `${tool} with ${manager}`, check: `${bin} ${command}` };
  return { tool: `${manager} workspace`, check: ofManager(manager, folder) };
}

const runners = [
  ["turbo.json", "turbo", "turbo run test --continue"],
  ["nx.json", "nx", "nx run-many -t test"],
  ["lerna.json", "lerna", "lerna run test --no-bail"],
] as const;

function ofManager(manager: Manager, folder: Folder): string {
  if (manager === "pnpm") return "pnpm -r --no-bail --if-present test";
  if (manager === "bun") return "bun run --filter '*' test";
  if (manager === "npm") return "npm test --workspaces --if-present";
  // Yarn 1 has no `foreach`.
  return folder.has(".yarnrc.yml") || folder.read("yarn.lock").includes("__metadata:")
    ? "yarn workspaces foreach --all run test"
    : "yarn workspaces run test";
}

/** Packages are at most two levels below, like other projects. */
function hasTestedPackage({ folders, read }: Folder): boolean {
  const isTested = (path: string) =>
    /"test"\s*:\s*"(?!echo [^"]*no test specified)/.test(read(`${path}/package.json`));
  return folders("")
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .some((first) => isTested(first) || folders(first).some((second) => isTested(`${first}/${second}`)));
}
