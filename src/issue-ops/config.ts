import { z } from "zod";
import { readSource as readYaml } from "../compile/parse-yaml.ts";
import { type ApiRepository, askIfThere } from "../github/api.ts";
import { defined } from "../ports/defined.ts";
import { nearestWord } from "../ports/nearest-word.ts";

/** The file in which a repository defines permissions; read from the default branch only. */
export const configFile = ".github/until-green.yml";

const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/, "must be a login");
const team = z.string().regex(/^[A-Za-z0-9][\w-]*\/[A-Za-z0-9][\w.-]*$/, "must be organisation/team");

const ruleFields = {
  /** The workflow that starts and resumes runs. */
  workflow: z
    .string()
    .regex(/^(\.github\/workflows\/)?[\w.-]+\.ya?ml$/, "must be a file in .github/workflows")
    .optional(),
  /** Who may decide gates; default: everyone who may command. */
  approvers: z
    .array(z.union([login, team]))
    .max(100)
    .optional(),
  "minimum-approvals": z.int().min(1).max(10).optional(),
  /** True if the author of a pull request may not approve on it. */
  "exclude-author": z.boolean().optional(),
  /** How to handle an approval if the branch has moved since the gate was shown. */
  "moved-branch": z.enum(["ask", "show", "ignore"]).optional(),
};

const configSchema = z.strictObject({
  "required-permission": z.enum(["read", "triage", "write", "maintain", "admin"]).default("write"),
  /** Users who may command without the required role. */
  "allow-users": z.array(login).max(1_000).default([]),
  "allow-teams": z.array(team).max(20).default([]),
  /** The only bots whose commands are accepted. */
  "allow-bot-users": z.array(login).max(100).default([]),
  /** After how many days the sweep removes the record of an ended run. */
  "retention-days": z.union([z.int().min(0).max(3_650), z.literal("never")]).optional(),
  /** How many ended runs are kept, newest first. */
  "retention-runs": z.union([z.int().min(0).max(100_000), z.literal("never")]).optional(),
  ...ruleFields,
  /** The same settings for one workflow of loops, by its name. */
  workflows: z.record(z.string(), z.strictObject(ruleFields)).default({}),
});

export type Config = z.infer<typeof configSchema>;

/** The rules that apply to one run. */
export type Rules = Readonly<ReturnType<typeof rulesOf>>;

export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] };

/** An error in the file, with its position. */
export interface ConfigFault {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** The file is invalid: commands are disabled until it is valid. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Parses a configuration; reports all faults at once. */
export function readConfig(text: string): ReadConfig {
  if (text.trim() === "") return { ok: true, config: configSchema.parse({}) };
  const { value, faults: unreadable, places } = readYaml(text);
  if (unreadable.length > 0) return { ok: false, faults: unreadable };
  const read = configSchema.safeParse(value ?? {});
  if (read.success) return { ok: true, config: read.data };
  const faults = read.error.issues.flatMap((issue) => {
    const at = issue.path.filter((part) => typeof part !== "symbol");
    // An unknown key has its own position; a missing one has that of its parent.
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        line: places([...at, key], { onKey: true }).line,
        message: `there is no setting ${[...at, key].join(".")}${hint(key)}`,
      }));
    return [
      { line: places(at).line, message: `${at.length === 0 ? "" : `${at.join(".")}: `}${issue.message}` },
    ];
  });
  return { ok: false, faults };
}

function hint(key: string): string {
  const near = nearestWord(key, [...Object.keys(configSchema.shape)]);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The rules for one workflow of loops. */
export function rulesOf(config: Config, workflow: string | undefined) {
  const own =
    workflow !== undefined && Object.hasOwn(config.workflows, workflow) ? config.workflows[workflow] : {};
  const both = { ...config, ...own };
  return {
    permission: config["required-permission"],
    users: config["allow-users"],
    teams: config["allow-teams"],
    bots: config["allow-bot-users"],
    workflow: both.workflow ?? ".github/workflows/until-green.yml",
    approvers: both.approvers ?? [],
    minimum: both["minimum-approvals"] ?? 1,
    excludeAuthor: both["exclude-author"] ?? false,
    moved: both["moved-branch"] ?? "ask",
  };
}

/** The text of a repository's configuration file, by default on its default branch; empty if there is none. */
export async function readConfigText({ api, owner, repo }: ApiRepository, ref?: string): Promise<string> {
  const route = `GET /repos/{owner}/{repo}/contents/${configFile}`;
  const file = content.optional().parse(await askIfThere(api, route, { owner, repo, ...defined({ ref }) }));
  return Buffer.from(file?.content ?? "", "base64").toString("utf8");
}

/** Parses a configuration; throws `ConfigError` with the first fault. */
export function parseConfig(text: string): Config {
  const read = readConfig(text);
  if (read.ok) return read.config;
  const [fault] = read.faults;
  throw new ConfigError(`${configFile}, line ${fault?.line ?? 1}: ${fault?.message ?? "cannot be read"}`);
}

const content = z.object({ content: z.string(), encoding: z.literal("base64") });
