import { readdirSync, readFileSync } from "node:fs";
import * as module from "node:module";

/**
 * Reads every chunk that this program may still import into memory. An agent runs as our user: a chunk it overwrites
 * would otherwise run in our process, with the job's keys. Does nothing if not bundled.
 */
export async function preloadChunks(): Promise<void> {
  const here = new URL(".", import.meta.url);
  if (held || !here.pathname.endsWith("/parts/")) return;
  held = true;
  const names = readdirSync(here).filter((name) => name.endsWith(".js"));
  // Node before 22.15 lacks these hooks; import everything at once.
  if (module.registerHooks === undefined)
    return void (await Promise.all(names.map((name) => import(new URL(name, here).href))));
  const texts = new Map(names.map((name) => [new URL(name, here).href, readFileSync(new URL(name, here))]));
  module.registerHooks({
    resolve(specifier, context, next) {
      const url = URL.parse(specifier, context.parentURL)?.href ?? "";
      return texts.has(url) ? { url, format: "module", shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      const source = texts.get(url);
      return source === undefined ? next(url, context) : { source, format: "module", shortCircuit: true };
    },
  });
}

let held = false;
