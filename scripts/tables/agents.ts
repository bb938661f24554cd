import { claude } from "../../src/adapters/agents/claude.ts";
import type { Cli } from "../../src/adapters/agents/cli/cli.ts";
import { testedVersions } from "../../src/adapters/agents/cli/versions.ts";
import { codex } from "../../src/adapters/agents/codex.ts";
import { copilot } from "../../src/adapters/agents/copilot.ts";
import { gemini } from "../../src/adapters/agents/gemini.ts";
import { opencode } from "../../src/adapters/agents/opencode.ts";
import { type Case, type Limits, limits } from "../../test/agents/limits.ts";
import { code, table } from "./markdown.ts";

const agents: readonly (Cli & { readonly name: keyof typeof limits })[] = [
  named("claude", claude),
  named("codex", codex),
  named("gemini", gemini),
  named("copilot", copilot),
  named("opencode", opencode),
];

function named<Name extends keyof typeof limits>(name: Name, cli: Cli) {
  return { ...cli, name };
}

/** What each agent that is a program can do, and how: as the sources and the contract of the real ones have it. */
export function agentTable(): string {
  const rows: readonly (readonly [string, (cli: (typeof agents)[number]) => string])[] = [
    ["made for", ({ program: { from, below } }) => `${from} and later, below ${below}`],
    ["tried with", ({ program }) => testedVersions[program.package] ?? ""],
    ["key, by the relay", ({ keys }) => namesOf(keys.filter(({ loan }) => loan !== undefined))],
    [
      "or, by itself",
      ({ keys }) =>
        ["its own login", namesOf(keys.filter(({ loan }) => loan === undefined))].filter(Boolean).join(", "),
    ],
    ["a conversation goes on, here and on another machine", can("goes on", "goes on elsewhere")],
    ["structured results", ({ structured }) => shownBy[structured]],
    ["tools for loops", can("tools")],
    ["tokens", can("works")],
    ["money", ({ name }) => money[name]],
    ["says what it says as it speaks", ({ name }) => (inWholes.has(name) ? "message by message" : "yes")],
    ["stopped with", ({ stop: { signal, graceMs } }) => `${signal}, after ${graceMs / 1_000} s SIGKILL`],
    [
      "what it leaves running is ended",
      ({ name }) => (exceptOf(name)["left running"] ? "by itself" : "by us"),
    ],
    ["longest final message tried", ({ name }) => longestOf(name)],
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

const namesOf = (keys: Cli["keys"]) => [...new Set(keys.map(({ variable }) => code(variable)))].join(", ");

const shownBy: Readonly<Record<Cli["structured"], string>> = {
  "its own flag": "its own flag",
  submit_result: "`submit_result`, or JSON as the message",
};

const money: Readonly<Record<keyof typeof limits, string>> = {
  claude: "its own figure",
  codex: "no",
  gemini: "no",
  copilot: "no",
  opencode: "for models it knows the price of",
};

const inWholes: ReadonlySet<string> = new Set(["codex", "opencode"]);

function longestOf(name: keyof typeof limits): string {
  const { except, longest = 50_000_000 }: Limits = limits[name];
  const reason = except["fifty megabytes"];
  return reason === undefined ? `${longest / 1_000_000} MB` : `50 MB fails: ${reason}`;
}
