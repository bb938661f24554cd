/**
 * Bundles the command line and the action into `dist/`, which is committed: an action runs without `npm install`.
 * The same sources give the same bytes. What is imported dynamically stays in files of its own and loads when needed.
 * @module
 */
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { noticesOf } from "./notices.ts";

/** The programs we ship, by their names in `dist/`. */
const shipped: Readonly<Record<string, string>> = {
  "until-green": "src/cli/main.ts",
  action: "action/main.ts",
};

/** Bundles into an emptied folder and says which files it wrote, by their paths in it. */
export async function build(into: string, entries = shipped): Promise<readonly string[]> {
  const files = await bundledFiles(entries);
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
  entries: typeof shipped,
): Promise<readonly (readonly [name: string, text: string])[]> {
  const chunks = await chunksOf(Object.entries(entries).filter(([, file]) => existsSync(file)));
  const files = chunks.map((chunk) => [chunk.fileName, codeOf(chunk)] as const);
  const modules = chunks.flatMap((chunk) => chunk.moduleIds);
  return [...files, ["licenses.txt", await noticesOf(modules)] as const].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function chunksOf(input: readonly (readonly [string, string])[]): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown({ input: Object.fromEntries(input), platform: "node", logLevel: "warn" });
  try {
    const { output } = await bundle.generate({
      format: "esm",
      minify: true,
      entryFileNames: "[name].js",
      // Without a hash, so that a change of one part does not rename the others.
      chunkFileNames: "parts/[name].js",
    });
    return output.filter((part) => part.type === "chunk");
  } finally {
    await bundle.close();
  }
}

function codeOf(chunk: OutputChunk): string {
  const code = chunk.code.replace(/^#!.*\n/, "");
  return chunk.isEntry && chunk.name === "until-green" ? hashbang + code : code;
}

if (import.meta.main) console.log((await build("dist")).map((file) => `dist/${file}`).join("\n"));
