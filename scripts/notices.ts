import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** The licences of the packages in a bundle, by package name. */
export async function noticesOf(modules: readonly string[]): Promise<string> {
  const folders = new Set(modules.map(packageOf).filter((folder) => folder !== undefined));
  const notices = await Promise.all([...folders].map(noticeOf));
  return notices.sort().join(`\n${"-".repeat(80)}\n\n`);
}

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

function packageOf(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = manifest.parse(
    JSON.parse(await readFile(join(folder, "package.json"), "utf8")),
  );
  const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder }).sort();
  const text = file === undefined ? "" : `\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
