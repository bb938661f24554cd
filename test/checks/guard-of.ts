import { keepParts } from "../../src/checks/keep-parts.ts";
import { namedFiles } from "../../src/checks/named-files.ts";
import { toolsInUse } from "../../src/checks/tools-in-use.ts";
import { matchGlobs } from "../../src/workspace/match-globs.ts";

export type Files = Readonly<Record<string, string>>;

/** What a check protects in a checkout with these files. */
export function guardOf(check: string, files: Files) {
  const checkout = { paths: Object.keys(files), text: (path: string) => files[path] };
  const use = toolsInUse([check], checkout);
  const isConfig = matchGlobs([...use.config, ...use.scripts], { nocase: false });
  const named = matchGlobs(namedFiles({ commands: use.commands, config: checkout.paths }, checkout), {
    nocase: false,
  });
  return {
    refuses: (path: string) => isConfig(path) || named(path),
    /** The text that is put back in place of another; the other one if it may stay. */
    kept(path: string, now: string, before = files[path]) {
      const parts = use.parts
        .filter(({ file }) => matchGlobs([file], { nocase: false })(path))
        .filter((part) => before !== undefined || /toml|ini/.test(part.kind) || "alsoNew" in part);
      const nothing = /\.jsonc?$/.test(path) ? "{}" : "";
      return keepParts(parts, { before: before ?? nothing, now }) ?? now;
    },
  };
}
