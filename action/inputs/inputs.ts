import { z } from "zod";
import { itemRun } from "../../src/api/runs.ts";
import {
  args,
  budgetOfJobs,
  choice,
  duration,
  flag,
  hosts,
  keyOf,
  lines,
  link,
  listSource,
  number,
  permission,
  person,
  record,
  retention,
  runId,
  storeName,
  switchOf,
  text,
  trimmedText,
  version,
  wholeNumber,
  wordList,
} from "./field-schemas.ts";
import { inputFaults } from "./validate.ts";

/** All inputs of the action as text; an empty text means not set. */
const schema = z.object({
  command: choice("run", "check", "plan", "resume", "publish", "comment", "sweep"),
  workflow: trimmedText,
  message: text,
  inputs: record,
  "run-id": runId,
  item: wholeNumber,
  items: wholeNumber,
  "shared-budget": budgetOfJobs,
  list: listSource,
  since: trimmedText,
  prompt: text,
  "prompt-file": trimmedText,
  until: trimmedText,
  "until-bash": text,
  "max-iterations": wholeNumber,
  "fresh-context": flag,
  protect: lines,
  agent: trimmedText,
  model: trimmedText,
  "agent-version": version,
  "agent-args": args,
  "agent-command": text,
  "anthropic-api-key": keyOf("ANTHROPIC_API_KEY"),
  "claude-code-oauth-token": keyOf("CLAUDE_CODE_OAUTH_TOKEN"),
  "openai-api-key": keyOf("OPENAI_API_KEY"),
  "gemini-api-key": keyOf("GEMINI_API_KEY"),
  "use-bedrock": switchOf("CLAUDE_CODE_USE_BEDROCK"),
  "use-vertex": switchOf("CLAUDE_CODE_USE_VERTEX"),
  "use-foundry": switchOf("CLAUDE_CODE_USE_FOUNDRY"),
  "max-cost-usd": number,
  "max-tokens": wholeNumber,
  prices: trimmedText,
  "max-minutes": number,
  patience: duration,
  cooldown: duration,
  "stop-after": wholeNumber,
  "max-open": wholeNumber,
  "gate-timeout": duration,
  "failure-issue": wholeNumber,
  "day-usd": number,
  "day-tokens": wholeNumber,
  "per-pull-request-usd": number,
  "per-person-usd": number,
  "until-checks": wordList,
  "until-reviews": flag,
  "until-mergeable": flag,
  isolation: choice("auto", "required", "off"),
  network: hosts,
  "github-token": trimmedText,
  "push-token": trimmedText,
  "app-id": trimmedText,
  "app-private-key": text,
  store: storeName,
  "state-key": text,
  publish: choice("none", "pull-request", "branch", "push"),
  branch: trimmedText,
  base: trimmedText,
  title: trimmedText,
  body: text,
  "commit-message": text,
  signoff: flag,
  author: person,
  "commit-mode": choice("git", "api"),
  reviewers: wordList,
  "team-reviewers": wordList,
  assignees: wordList,
  labels: wordList,
  draft: choice("auto", "true", "false"),
  squash: choice("true", "false"),
  "if-no-changes": choice("warn", "fail", "ignore"),
  "allow-workflow-files": flag,
  "max-files": wholeNumber,
  "max-patch-kib": wholeNumber,
  comment: choice("auto", "sticky", "none"),
  notify: choice("mention", "none"),
  "notify-url": link,
  "check-run": choice("auto", "true", "false"),
  "otlp-endpoint": link,
  "required-permission": permission,
  "allow-users": lines,
  "allow-bot-users": lines,
  "retention-days": retention,
  "working-directory": trimmedText,
  "dry-run": flag,
});

export type Inputs = z.infer<typeof schema>;

/** The names of all inputs, as declared in `action.yml`. */
export const inputNames: readonly string[] = Object.keys(schema.shape);

/** The inputs that contain keys and tokens. */
export const secretInputs: readonly string[] = inputNames.filter((name) =>
  /(-api-key|-token|-private-key|^state-key|^notify-url)$/.test(name),
);

export type ReadInputs =
  | { readonly ok: true; readonly inputs: Inputs; readonly secrets: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[]; readonly secrets: readonly string[] };

/** Parses the JSON of all inputs: typed values, or all errors, one sentence each. */
export function readInputs(json: string): ReadInputs {
  const texts = readTexts(json);
  if (texts === undefined) return { ok: false, faults: [notJson], secrets: [] };
  const secrets = secretInputs.flatMap((name) => texts[name] || []);
  const parsed = schema.safeParse(texts, { jitless: true });
  const wrong = parsed.success ? [] : parsed.error.issues.map((issue) => sentence(issue, texts));
  const faults = [...wrong, ...inputFaults(texts)];
  return parsed.success && faults.length === 0
    ? { ok: true, inputs: withItems(parsed.data), secrets }
    : { ok: false, faults, secrets };
}

/** An item, or all items of a run, by run id. */
function withItems(inputs: Inputs): Inputs {
  const { item, items, "run-id": of = "" } = inputs;
  const numbers = item === undefined ? Array.from({ length: items ?? 0 }, (_, at) => at + 1) : [item];
  if (numbers.length === 0) return inputs;
  return { ...inputs, "run-id": numbers.map((number) => itemRun({ of, number })).join(" ") };
}

const notJson =
  "the inputs did not reach the action as JSON: this is a defect of its action.yml, please report it";

function readTexts(json: string): Readonly<Record<string, string>> | undefined {
  try {
    const texts = z.record(z.string(), z.string()).parse(JSON.parse(json));
    return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim() && value]));
  } catch {
    return undefined;
  }
}

/** The input's name, its value, and the error; a secret's value is never shown. */
function sentence(issue: z.core.$ZodIssue, texts: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0]);
  const value = secretInputs.includes(name) ? "***" : (texts[name] ?? "");
  const shown = value.length > 60 ? `${value.slice(0, 59)}…` : value;
  return `\`${name}: ${shown.replace(/\s+/g, " ")}\` ${issue.message}`;
}
