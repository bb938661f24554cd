import type { Folder, Project } from "./folder.ts";
import { oneShot } from "./one-shot.ts";
import { type Manager, type Manifest, ofWorkspace } from "./workspace.ts";

/** A `package.json` with a `test` script, for npm, pnpm, yarn or Bun; Bun also has its own test runner. */
export function findNode(folder: Folder): Project | undefined {
  const manifest = readManifest(folder.read("package.json"));
  const script = manifest?.scripts?.["test"] ?? "";
  const isBare = script.trim() === "" || /no test specified/.test(script);
  const manager = managerOf(folder, manifest?.packageManager ?? "");
  if (isBare) {
    const whole = ofWorkspace(folder, { manager, manifest });
    if (whole !== undefined)
      return { ...whole, install: installs[manager](folder), setup: [nodeStep(folder), ...steps[manager]] };
  }
  if (isBare && (manifest === undefined || manager !== "bun")) return undefined;
  const once = isBare ? undefined : oneShot(script, bins[manager]);
  return {
    tool: manager,
    // `bun test` is Bun's own test runner, whatever the script is.
    check: once ?? (isBare ? "bun test" : withoutBail(script, manager)),
    install: installs[manager](folder),
    setup: [nodeStep(folder), ...steps[manager]],
    ...(once === undefined ? {} : { note: `the script \`test\` (${script}) keeps watching for changes` }),
  };
}

/** The script `test`; a monorepo's tool goes on after the first package that fails, so that all failures are counted. */
function withoutBail(script: string, manager: Manager): string {
  const test = manager === "bun" ? "bun run test" : `${manager} test`;
  const option = /^turbo (?:run )?[\w:-]+$/.test(script)
    ? "--continue"
    : /^lerna run [\w:-]+$/.test(script)
      ? "--no-bail"
      : undefined;
  return option === undefined ? test : `${test} ${manager === "npm" ? "-- " : ""}${option}`;
}

/** Start a program of an installed package. */
const bins: Readonly<Record<Manager, string>> = {
  npm: "npx",
  pnpm: "pnpm exec",
  yarn: "yarn run",
  bun: "bunx",
};

/** The steps of a workflow that install the manager itself. */
const steps: Readonly<Record<Manager, readonly string[]>> = {
  npm: [],
  // Node 25 and later do not include corepack.
  pnpm: ["- run: npm install --global corepack && corepack enable"],
  yarn: ["- run: npm install --global corepack && corepack enable"],
  bun: ["- uses: oven-sh/setup-bun@v2"],
};

const installs: Readonly<Record<Manager, (folder: Folder) => string>> = {
  npm: ({ find }) => (find("package-lock.json") ? "npm ci" : "npm install"),
  pnpm: ({ find }) => (find("pnpm-lock.yaml") ? "pnpm install --frozen-lockfile" : "pnpm install"),
  yarn: ({ find, read }) =>
    // A lockfile of Yarn 2 or later, where the other option is deprecated.
    find(".yarnrc.yml") || read("yarn.lock").includes("__metadata:")
      ? "yarn install --immutable"
      : find("yarn.lock")
        ? "yarn install --frozen-lockfile"
        : "yarn install",
  bun: ({ find }) =>
    find("bun.lock") || find("bun.lockb") ? "bun install --frozen-lockfile" : "bun install",
};

const locks = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
] as const;

function managerOf({ has, find }: Folder, named: string): Manager {
  const [name] = named.split("@");
  if (name === "pnpm" || name === "yarn" || name === "npm" || name === "bun") return name;
  const lockfile = locks.find(([lock]) => has(lock)) ?? locks.find(([lock]) => find(lock) !== undefined);
  return lockfile?.[1] ?? "npm";
}

function nodeStep({ find }: Folder): string {
  const file = find(".nvmrc");
  const version = file === undefined ? "node-version: 24" : `node-version-file: ${file}`;
  return `- uses: actions/setup-node@v5\n  with:\n    ${version}`;
}

function readManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}
