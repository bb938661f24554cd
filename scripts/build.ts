/**
 * Bundles the command line and the action into `dist/`, which is committed because an action runs without `npm
 * install`. Deterministic. Dynamic imports stay in separate chunks and load on demand. @module
 */
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { argv } from "node:process";
import {
  type CodeSplittingGroup,
  type InputOptions,
  type OutputChunk,
  type Plugin,
  rolldown,
} from "rolldown";
import { noticesOf } from "./notices.ts";

type Entries = Readonly<Record<string, string>>;

/** The shipped programs, by their names in `dist/`. */
const shipped: Entries = {
  "until-green": "src/cli/start.ts",
  action: "action/main.ts",
};
/** The app, as a server and as a function. It shares no chunks with the other programs, which must start fast. */
const app: Entries = { app: "app/main.ts", handler: "app/handler.ts" };

/** Bundles into an emptied folder and returns the paths of the written files. */
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

// A chunk that one program loads late may be loaded early by another.
const bundling = {
  platform: "node",
  plugins: [leanBuiltins(), withoutApps(), withoutJsonSchemas()],
  logLevel: "warn",
  preserveEntrySignatures: "allow-extension",
  // Our modules have no side effects, so a program loads only those it uses of `src/api/`. The same for the toolkit:
  // `@actions/core` would load an HTTP client for ID tokens at each start, and `octokit` its classes for apps.
  treeshake: {
    moduleSideEffects: (id) =>
      !id.startsWith("\0node:") &&
      !/\/node_modules\/(@actions|@octokit|octokit|undici|tunnel|zod)\//.test(id) &&
      !/\/src\/(?!cli\/(start|main)\.ts)/.test(id),
  },
  // Bottleneck loads an optional Redis client by `eval`; we do not use it.
  checks: { ineffectiveDynamicImport: false, eval: false },
} satisfies InputOptions;

/** Chunks whose modules have the same name as others. */
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
      // Only bundlers read them, and there are thousands.
      comments: { annotation: false },
      entryFileNames: "[name].js",
      // No hash in names, so that a change of one chunk does not rename the others. A program is never part of
      // another one.
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
 * An `import` of a Node module reads all its exports, which loads rarely needed parts: a WebSocket client with
 * `http`, promises with `fs`. Here only used exports are read: functions when they are called, which halves the cost
 * at the start, and other values with the chunk that uses them.
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

/** `octokit` creates its classes for apps on load; only programs that use them should pay for that. */
function withoutApps(): Plugin {
  return {
    name: "without-apps",
    transform: (code, id) =>
      /\/node_modules\/octokit\//.test(id)
        ? code.replaceAll(/= (?=Default\w+\.defaults\()/g, "= /* @__PURE__ */ ")
        : null,
  };
}

/** Each schema of Zod can describe itself, for example as JSON Schema, which no program asks for. */
function withoutJsonSchemas(): Plugin {
  return {
    name: "without-json-schemas",
    transform: (code, id) =>
      /\/node_modules\/zod\/v4\/classic\/schemas\.js$/.test(id)
        ? code
            .replaceAll(/\bprocessors\.\w+\(/g, "undefined(")
            .replaceAll(/\bcreate(?:Standard|To)JSONSchemaMethod\(this, [^)]*\)/g, "undefined")
        : null,
  };
}

/** True for a plain function: not a class, and without properties. */
const isPlain = (value: unknown): boolean =>
  typeof value === "function" &&
  !/^[A-Z]/.test(value.name) &&
  Reflect.ownKeys(value).every((key) => ["length", "name", "prototype"].includes(String(key)));

/**
 * Modules that load together share one chunk, because each file costs time: those of fast starting programs, those of
 * programs that run loops, those that start a run, and those of the action or the command line.
 */
function together(apart: readonly OutputChunk[]): readonly CodeSplittingGroup[] {
  const loadedBy = (...files: readonly string[]) => {
    const paths = files.map((file) => resolve(file));
    const loaded = new Set(apart.filter(({ facadeModuleId: id }) => id !== null && paths.includes(id)));
    for (const { imports } of loaded)
      for (const chunk of apart) if (imports.includes(chunk.fileName)) loaded.add(chunk);
    const modules = [...loaded].flatMap(({ moduleIds }) => moduleIds);
    // Except the programs themselves, which have side effects.
    return new Set(modules.filter((id) => !paths.includes(id)));
  };
  const job = loadedBy("action/main.ts", "action/commands/run-workflow.ts", "action/commands/resume.ts");
  const loops = loadedBy("src/cli/run.ts");
  // A chunk shared only by command line and action would pull in all of `job`.
  const both = new Set([...loops, ...loadedBy("src/cli/program.ts")]);
  // A resumed run already has its plan.
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

if (import.meta.main) {
  const into = argv[2] ?? "dist";
  console.log((await build(into)).map((file) => join(into, file)).join("\n"));
}
