import { acpPrograms } from "../../src/agents/acp-programs.ts";
import type { CliDefinition } from "../../src/agents/cli/cli-definition.ts";
import { cliAgents } from "../../src/agents/registry.ts";
import { type Case, type Limits, limits } from "../../test/real-agents/limits.ts";
import { code, table } from "./markdown.ts";

type Named = CliDefinition & { readonly name: keyof typeof limits };

/** Each has limits: its contract test would not compile otherwise. */
const agents = cliAgents.filter((cli): cli is Named => Object.hasOwn(limits, cli.name));

/** What each agent program supports, and how, according to the sources and the contract tests. */
export function agentTable(): string {
  const rows: readonly (readonly [string, (cli: (typeof agents)[number]) => string])[] = [
    ["supported versions", ({ program: { from, below } }) => `≥ ${from}, < ${below}`],
    ["tested version", ({ program }) => program.tested ?? ""],
    ["key through the proxy", ({ keys }) => namesOf(keys.filter(({ lease: loan }) => loan !== undefined))],
    [
      "key or login of its own",
      ({ name, keys }) =>
        [
          withoutLogin.has(name) ? "" : "its own login",
          namesOf(keys.filter(({ lease: loan }) => loan === undefined)),
        ]
          .filter(Boolean)
          .join(", "),
    ],
    ["conversation continues, also on another machine", can("goes on", "goes on elsewhere")],
    ["structured results", ({ structured }) => shownBy[structured]],
    ["tools for loops", can("tools")],
    ["tokens", can("works")],
    ["cost", ({ name }) => money[name]],
    ["live output", ({ name }) => (inWholes.has(name) ? "message by message" : "yes")],
    ["stopped by", ({ stop: { signal, graceMs } }) => `${signal}, SIGKILL after ${graceMs / 1_000} s`],
    [
      "leftover processes are killed",
      ({ name }) => (exceptOf(name)["left running"] ? "by itself" : "by until-green"),
    ],
    ["longest final message tested", ({ name }) => longestOf(name)],
  ];
  const head = ["", ...agents.map(({ name }) => code(name))];
  return table(
    head,
    rows.map(([what, of]) => [what, ...agents.map(of)]),
  );
}

const exceptOf = (name: keyof typeof limits): Limits["except"] => limits[name].except;

const can =
  (...cases: readonly Case[]) =>
  ({ name }: { readonly name: keyof typeof limits }) =>
    cases.map((one) => exceptOf(name)[one]).find((reason) => reason !== undefined) ?? "yes";

const namesOf = (keys: CliDefinition["keys"]) =>
  [...new Set(keys.map(({ variable }) => code(variable)))].join(", ");

const shownBy: Readonly<Record<CliDefinition["structured"], string>> = {
  "its own flag": "its own flag",
  submit_result: "`submit_result`, or JSON as the message",
};

const money: Readonly<Record<keyof typeof limits, string>> = {
  claude: "reported by the program",
  codex: "price table",
  gemini: "price table",
  copilot: "price table",
  opencode: "reported by the program, else price table",
  qwen: "price table",
  pi: "price table",
  kimi: "price table",
};

/** It is always started with a key. */
const withoutLogin: ReadonlySet<string> = new Set(["qwen", "kimi"]);

const inWholes: ReadonlySet<string> = new Set(["codex", "opencode", "kimi"]);

function longestOf(name: keyof typeof limits): string {
  const { except, longest = 50_000_000 }: Limits = limits[name];
  const reason = except["fifty megabytes"];
  return reason === undefined ? `${longest / 1_000_000} MB` : `50 MB fails: ${reason}`;
}

/** The programs that are known to speak the Agent Client Protocol. */
export const acpTable = (): string =>
  table(
    ["agent", "what it starts"],
    Object.entries(acpPrograms).map(([name, command]) => [code(`acp:${name}`), code(command)]),
  );
