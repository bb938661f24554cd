import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import type { InChild } from "./bench.ts";

const run = promisify(execFile);

/** Bundles this program like `dist/`, and starts it once per measurement. */
export async function openChildren() {
  const folder = mkdtempSync(join(tmpdir(), "until-green-bench-"));
  await bundle(folder);
  return {
    of:
      (bench: string): InChild =>
      async (measurement, ...args) => {
        const argv = [
          "--expose-gc",
          join(folder, "main.js"),
          "--measure",
          bench,
          measurement,
          ...args.map(String),
        ];
        return JSON.parse((await run(process.execPath, argv, { maxBuffer: 1e8 })).stdout);
      },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** From sources, Node's type stripping would be measured too: time at the start, memory throughout. */
async function bundle(into: string): Promise<void> {
  const made = await rolldown({
    input: { main: join(import.meta.dirname, "main.ts") },
    platform: "node",
    external: ["rolldown"],
    logLevel: "warn",
  });
  await made.write({ dir: into, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  await made.close();
}
