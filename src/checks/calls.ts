import type { Checkout } from "./checkout.ts";
import { readJson } from "./tables.ts";
import { tools } from "./tools/index.ts";
import { calledScripts, toolsInUse } from "./tools-in-use.ts";

/** What a check is known to call, by its text and that of the scripts it calls. */
export interface Calls {
  /** The check's own text, and that of the npm scripts, makefile targets and shell scripts that it calls. */
  readonly text: string;
  /** The ids of the tools that it starts. */
  readonly tools: readonly string[];
  /** Another part of the tests may run each time. */
  readonly isPartial: boolean;
  /** Tests that failed run once more. */
  readonly isRetried: boolean;
  /** Its author lets some tests fail: it does not end with the tool's exit code. */
  readonly acceptsFailures: boolean;
  /** A monorepo's runner may leave out what a task printed that it knows from a cache. */
  readonly leavesOutCached: boolean;
  /** Files that keep what its tools print. */
  readonly outputs: readonly string[];
}

export function callsOf(check: string, files: Checkout): Calls {
  const text = calledText(check, files);
  const ids = toolsInUse([check], files).tools;
  const used = tools.filter(({ id }) => ids.includes(id));
  return {
    text,
    tools: ids,
    isPartial: used.some(({ partial }) => partial?.test(text)),
    isRetried: retries.test(text),
    acceptsFailures: accepts.test(text) && !/\bpipefail\b/.test(text),
    leavesOutCached:
      /\bturbo\b/.test(text) &&
      /--output-logs\b|"outputLogs"/.test([text, ...filesNamed(/(?:^|\/)turbo\.jsonc?$/, files)].join("\n")),
    outputs: [...text.matchAll(redirect)].map(([, name = ""]) => name).slice(0, 10),
  };
}

/** The same command twice, or a loop that ends with the first success. */
const retries =
  /&&\s*(?:exit 0|break)\b|\bretry\b|(?:^|[;&({\n])[ \t]*([^\s|;&][^|;&\n]*?)\s*\|\|\s*\1(?![\w-])/m;

const accepts =
  /\|\|\s*(?:true\b|:(?=\s|$)|(?:[{(]\s*)?(?:echo|printf)\b(?![^\n]*\bexit [1-9])|exit 0\b)|[^|]\|(?!\|)\s*[a-z]|\bset \+e\b/;

const redirect = /(?<![<>&\d="'-])[12&]?>\s*["']?((?!\/)[\w./-]+)(?<!\.(?:xml|json))(?![\w./-])/g;

/** How often it calls one of these tools; no limit if a loop or another tool may repeat the call. */
export function callsIn({ text }: Calls, ids: readonly string[]): number {
  const unknown = Number.POSITIVE_INFINITY;
  if (repeats.test(text)) return unknown;
  const called = tools.filter(({ id }) => ids.includes(id)).flatMap(({ called = [] }) => called);
  const numbers = called.map((pattern) => text.split(new RegExp(pattern, "gm")).length - 1);
  return Math.max(0, ...numbers) || unknown;
}

const repeats =
  /\b(?:for|while|until|xargs|parallel|function|workspaces?|ws|recursive|turbo|nx|lerna|tox|nox)\b|\(\)|\s-(?:r|C|exec)\b|--filter\b/;

/** The check with what it calls: npm scripts, targets of makefiles and shell scripts. */
function calledText(check: string, files: Checkout): string {
  const named = [...npmScripts(files), ...targets(files)];
  const all = new Set([check]);
  // Also iterates over what is added meanwhile.
  for (const text of all) {
    for (const { call, body } of named) if (call.test(text)) all.add(body);
    for (const path of calledScripts(text, files))
      if (/\.(?:ba)?sh$|(?:^|\/)[^.]+$/.test(path)) all.add(files.text(path) ?? "");
    if (all.size > 100) break;
  }
  return [...all].join("\n");
}

interface Named {
  readonly call: RegExp;
  readonly body: string;
}

const callOf = (programs: string, name: string) =>
  new RegExp(`\\b(?:${programs})\\b[^;&|\\n]*\\s${name.replaceAll(/[^\w-]/g, "\\$&")}(?![\\w:-])`);

const filesNamed = (pattern: RegExp, files: Checkout) =>
  files.paths.filter((path) => pattern.test(path)).map((path) => files.text(path) ?? "");

const npmScripts = (files: Checkout): readonly Named[] =>
  filesNamed(/(?:^|\/)package\.json$/, files).flatMap((manifest) =>
    Object.entries(readJson(manifest)?.["scripts"] ?? {}).map(([name, body]) => ({
      call: callOf("npm|pnpm|yarn|bun|turbo|lerna|nx", name.replace(/^(?:pre|post)/, "")),
      body: String(body),
    })),
  );

/** What a target depends on counts as a call. */
const targets = (files: Checkout): readonly Named[] =>
  filesNamed(/(?:^|\/)(?:GNUm|[mM])akefile$/, files).flatMap((makefile) =>
    [...makefile.matchAll(/^([\w.-]+)[ \t]*:(?!=)(.*)\n((?:\t.*(?:\n|$))*)/gm)].map(
      ([, name = "", needs = "", recipe = ""]) => ({
        call: callOf("make", name),
        body: `make ${needs}\n${recipe}`,
      }),
    ),
  );
