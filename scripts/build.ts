/**
 * Bundles the command line and the action into `dist/`, which is committed: an action runs without `npm install`.
 * The same sources give the same bytes. What is imported dynamically stays in files of its own and loads when needed.
 * @module
 */
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import {
  type CodeSplittingGroup,
  type InputOptions,
  type OutputChunk,
  type Plugin,
  rolldown,
} from "rolldown";
import { noticesOf } from "./notices.ts";

type Entries = Readonly<Record<string, string>>;

/** The programs we ship, by their names in `dist/`. */
const shipped: Entries = {
  "until-green": "src/cli/start.ts",
  action: "action/main.ts",
};
/** The app, as a server and as a function; it shares no parts with the others, which are to start at once. */
const app: Entries = { app: "app/main.ts", handler: "app/handler.ts" };

/** Bundles into an emptied folder and says which files it wrote, by their paths in it. */
export async function build(into: string, entries = shipped): Promise<readonly string[]> {
  const files = await bundledFiles(entries, entries === shipped ? app : {});
  await rm(into, { recursive: true, force: true });
  for (const [name, text] of files) {
    const file = join(into, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: text.startsWith(hashbang) ? 0o755 : 0o644 });
  }
  return files.map(([name]) => name);
}

const hashbang = "#!/usr/bin/env node\n";

async function bundledFiles(
  programs: Entries,
  server: Entries,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const there = (entries: Entries) => Object.entries(entries).filter(([, file]) => existsSync(file));
  const chunks = [
    ...(await chunksOf(there(programs), "parts")),
    ...(await chunksOf(there(server), "server")),
  ];
  const files = chunks.map((chunk) => [chunk.fileName, codeOf(chunk)] as const);
  const modules = chunks.flatMap((chunk) => chunk.moduleIds);
  return [...files, ["licenses.txt", await noticesOf(modules)] as const].sort(([a], [b]) => (a < b ? -1 : 1));
}

// A part that is loaded late by one may be loaded at once by another.
const bundling = {
  platform: "node",
  plugins: [leanBuiltins(), withoutApps()],
  logLevel: "warn",
  preserveEntrySignatures: "allow-extension",
  // Our modules do nothing by themselves: a program reads those it uses, not all that `src/api/` names.
  // Of the toolkit only what is used: `@actions/core` would bring an HTTP client to each start for ID tokens, and
  // `octokit` the machinery of apps.
  treeshake: {
    moduleSideEffects: (id) =>
      !id.startsWith("\0node:") &&
      !/\/node_modules\/(@actions|@octokit|octokit|undici|tunnel|zod)\//.test(id) &&
      !/\/src\/(?!cli\/(start|main)\.ts)/.test(id),
  },
  // Bottleneck asks for a Redis client by `eval`, if somebody wants one; we do not.
  checks: { ineffectiveDynamicImport: false, eval: false },
} satisfies InputOptions;

/** Parts whose modules share their name with others. */
const named = new Map([
  [resolve("src/cli/main.ts"), "until-green-main.js"],
  [resolve("src/cli/program.ts"), "parts/command-line.js"],
]);

async function chunksOf(
  input: readonly (readonly [string, string])[],
  folder: string,
): Promise<readonly OutputChunk[]> {
  if (input.length === 0) return [];
  const bundle = await rolldown({ input: Object.fromEntries(input), ...bundling });
  const chunksIn = async (groups: readonly CodeSplittingGroup[]) => {
    const { output } = await bundle.generate({
      format: "esm",
      minify: true,
      entryFileNames: "[name].js",
      // Without a hash, so that a change of one part does not rename the others. A program is no part of another one.
      chunkFileNames: ({ facadeModuleId: id }) => named.get(id ?? "") ?? `${folder}/[name].js`,
      ...(groups.length === 0 ? {} : { codeSplitting: { groups: [...groups] } }),
    });
    return output.filter((part) => part.type === "chunk");
  };
  try {
    return await chunksIn(together(await chunksIn([])));
  } finally {
    await bundle.close();
  }
}

/**
 * An `import` reads all that a module of Node exports, and with some of it loads what few need: a client for web sockets
 * with `http`, its promises with `fs`. Here only what is used is read: a module of functions when one is called, which
 * halves what a start pays for them, and anything else with the part that uses it.
 */
function leanBuiltins(): Plugin {
  return {
    name: "lean-builtins",
    resolveId(source, _, { kind }) {
      if (source.startsWith("\0node:")) return source;
      const name = source.replace("node:", "");
      const isRead = isBuiltin(source) && name !== "module" && kind === "import-statement";
      return isRead ? `\0node:${name}` : null;
    },
    async load(id) {
      if (!id.startsWith("\0node:")) return null;
      const [name = "", only] = id.slice(1).split("#");
      const required = `createRequire(import.meta.url)("${name}")`;
      const head = 'import { createRequire } from "node:module";';
      if (only === "default") return `${head}\nexport default /* @__PURE__ */ ${required};`;
      if (only !== undefined)
        return `${head}\nexport const ${only} = /* @__PURE__ */ (() => ${required}.${only})();`;
      const all: Readonly<Record<string, unknown>> = await import(name);
      const names = Object.keys(all).filter((each) => /^[a-z_$][\w$]*$/i.test(each) && each !== "default");
      return [
        head,
        "let $loaded;",
        `const $all = () => ($loaded ??= ${required});`,
        `export { default } from "${id}#default";`,
        ...names.map((each) =>
          isPlain(all[each])
            ? `export const ${each} = (...given) => $all().${each}(...given);`
            : `export { ${each} } from "${id}#${each}";`,
        ),
      ].join("\n");
    },
  };
}

/** `octokit` makes its classes for apps as it is loaded: only who uses them is to carry them. */
function withoutApps(): Plugin {
  return {
    name: "without-apps",
    transform: (code, id) =>
      /\/node_modules\/octokit\//.test(id)
        ? code.replaceAll(/= (?=Default\w+\.defaults\()/g, "= /* @__PURE__ */ ")
        : null,
  };
}

/** A function that is nothing else besides: no class, and nothing hangs on it. */
const isPlain = (value: unknown): boolean =>
  typeof value === "function" &&
  !/^[A-Z]/.test(value.name) &&
  Reflect.ownKeys(value).every((key) => ["length", "name", "prototype"].includes(String(key)));

/**
 * What loads together lies in one file, as each file costs its time: what the programs need that are to start at once,
 * what both need that run loops, what they need to start one, and what the action or the command line needs for that.
 */
function together(apart: readonly OutputChunk[]): readonly CodeSplittingGroup[] {
  const loadedBy = (...files: readonly string[]) => {
    const paths = files.map((file) => resolve(file));
    const loaded = new Set(apart.filter(({ facadeModuleId: id }) => id !== null && paths.includes(id)));
    for (const { imports } of loaded)
      for (const chunk of apart) if (imports.includes(chunk.fileName)) loaded.add(chunk);
    const modules = [...loaded].flatMap(({ moduleIds }) => moduleIds);
    // Not these themselves: a program does something when it is loaded.
    return new Set(modules.filter((id) => !paths.includes(id)));
  };
  const job = loadedBy("action/main.ts", "action/commands/run-workflow.ts", "action/commands/resume.ts");
  const loops = loadedBy("src/cli/run.ts");
  // A part that the command line shares with the action only would bring it all of `job`.
  const both = new Set([...loops, ...loadedBy("src/cli/program.ts")]);
  // A run that is resumed has its plan already.
  const resumed = loadedBy("action/main.ts", "action/commands/resume.ts");
  return [
    { name: "base", modules: loadedBy("src/cli/main.ts") },
    { name: "core", modules: new Set([...resumed].filter((id) => both.has(id))) },
    { name: "workflow", modules: new Set([...job].filter((id) => both.has(id))) },
    { name: "job", modules: job },
    { name: "local-run", modules: loops },
  ].map(({ name, modules }, at) => ({
    name,
    test: (id: string) => modules.has(id),
    priority: 5 - at,
    includeDependenciesRecursively: false,
  }));
}

function codeOf(chunk: OutputChunk): string {
  const code = chunk.code.replace(/^#!.*\n/, "");
  return chunk.isEntry && chunk.name === "until-green" ? hashbang + code : code;
}

if (import.meta.main) console.log((await build("dist")).map((file) => `dist/${file}`).join("\n"));
