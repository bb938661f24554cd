import { readdirSync, readFileSync } from "node:fs";
import * as module from "node:module";

/**
 * Takes what this program may still load of itself into memory. An agent works as our user: what it writes over our
 * files would be run by us, with the job's keys, where it was read after that. Without bundled files nothing is done.
 */
export async function holdParts(): Promise<void> {
  const here = new URL(".", import.meta.url);
  if (held || !here.pathname.endsWith("/parts/")) return;
  held = true;
  const names = readdirSync(here).filter((name) => name.endsWith(".js"));
  // A Node before 22.15 knows no such hooks: there everything is loaded at once.
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
