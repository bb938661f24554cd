import type { ConfigPart } from "./tools/tool.ts";

/**
 * Settings with the name of a program that the check starts, as most linters and test runners have them: `.toolrc`,
 * `.tool.yml`, `tool.toml`, `tool.config.js`, `.toolignore`, and in manifests what has that name.
 */
export function ownSettings(commands: string): {
  readonly config: readonly string[];
  readonly parts: readonly ConfigPart[];
} {
  const called = new Set([...commands.matchAll(started)].map(([, name = ""]) => name));
  const names = [...called].filter((name) => !isOther.test(name)).slice(0, 50);
  if (names.length === 0) return { config: [], parts: [] };
  // A glob needs two alternatives.
  const any = `{${[...names, names[0]].join(",")}}`;
  return {
    config: [
      `**/.${any}{,rc,ignore}{,.*}`,
      `**/${any}{.toml,.ini,.cfg,.conf,.neon,.yml,.yaml,.json,.jsonc,.config.*}`,
    ],
    parts: [
      { kind: "toml", file: "**/pyproject.toml", keys: names.map((name) => `tool.${name}`) },
      { kind: "json", file: "**/package.json", keys: names },
    ],
  };
}

/** At the start of a command, or after a program that starts others. */
const started =
  /(?:^|[;&|({\n])[ \t]*(?:\w+=\S*[ \t]+)*(?:(?:[\w.]+[ \t]+(?:-m|exec|run)|npx|bunx|pnpx|exec|xargs|then|do|else)[ \t]+)*(?:(?:\.\/)?(?:vendor\/bin|node_modules\/\.bin)\/)?([a-z][a-z0-9-]{1,30})(?=[ \t\n;&|)]|$)/g;

/** Words of shells, and programs whose files of such names say what is built, or are not about a check. */
const isOther =
  /^(?:app|astro|babel|build|cargo|case|cat|cmake|cd|check|ci|composer|config|cp|deno|dist|do|docker|doit|echo|else|env|esac|esbuild|eval|exec|exit|expo|export|false|fi|find|go|for|function|git|grep|hatch|if|install|lib|local|ls|main|metro|mkdir|mv|next|npm|nuxt|parcel|pdm|pipenv|pixi|pnpm|poetry|printf|py|read|return|rm|rollup|run|rye|sed|server|set|sh|shift|sleep|source|src|stack|start|svelte|swc|test|tests|then|trap|true|tsup|unset|until|uv|vite|wait|webpack|while|yarn)$/;
