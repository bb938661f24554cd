import { anywhere, program, type Tool } from "./tool.ts";

/** Linters, formatters and type checkers of JavaScript and TypeScript. */
export const nodeLinters: readonly Tool[] = [
  {
    id: "eslint",
    called: /(?:^|[^\w@.-])(?:\S*\/)?(?:eslint(?:_d)?(?![\w-])|(?:ng|next|expo|vue-cli-service)\s+lint\b)/m,
    config: anywhere(".eslintrc*", "eslint.config.*", ".eslintignore", "eslint-suppressions.json"),
    parts: [{ kind: "json", file: "**/package.json", keys: ["eslintConfig"] }],
  },
  { id: "biome", called: program("biome"), config: anywhere("biome.json", "biome.jsonc") },
  {
    id: "prettier",
    called: program("prettier"),
    config: anywhere(".prettierrc*", "prettier.config.*", ".prettierignore", ".editorconfig"),
    parts: [{ kind: "json", file: "**/package.json", keys: ["prettier"] }],
  },
  {
    id: "stylelint",
    called: program("stylelint"),
    config: anywhere(".stylelintrc*", "stylelint.config.*", ".stylelintignore"),
    parts: [{ kind: "json", file: "**/package.json", keys: ["stylelint"] }],
  },
  {
    id: "tsc",
    called: program("tsc|vue-tsc|tsgo|svelte-check|(?:astro|nuxi|nuxt)\\s+(?:check|typecheck)"),
    config: anywhere("tsconfig*.json"),
  },
];
