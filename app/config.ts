import { z } from "zod";
import { type Api, askIfThere, type Repository, readYaml } from "../src/index.ts";

/** Where a repository says who may do what: on its default branch only. */
export const configFile = ".github/until-green.yml";

const login = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/, "must be a login");
const team = z.string().regex(/^[A-Za-z0-9][\w-]*\/[A-Za-z0-9][\w.-]*$/, "must be organisation/team");

const ruleFields = {
  /** The host's workflow that starts and goes on with runs. */
  workflow: z
    .string()
    .regex(/^(\.github\/workflows\/)?[\w.-]+\.ya?ml$/, "must be a file in .github/workflows")
    .optional(),
  /** Who may decide at gates; without any, whoever may command. */
  approvers: z
    .array(z.union([login, team]))
    .max(100)
    .optional(),
  "minimum-approvals": z.int().min(1).max(10).optional(),
  /** Whether the author of a pull request may not approve on it. */
  "exclude-author": z.boolean().optional(),
  /** What becomes of an approval when the branch has moved since the gate was shown. */
  "moved-branch": z.enum(["ask", "show", "ignore"]).optional(),
};

const configSchema = z.strictObject({
  "required-permission": z.enum(["read", "triage", "write", "maintain", "admin"]).default("write"),
  /** May command without the permission. */
  "allow-users": z.array(login).max(1_000).default([]),
  "allow-teams": z.array(team).max(20).default([]),
  /** The only programs that are heard. */
  "allow-bot-users": z.array(login).max(100).default([]),
  ...ruleFields,
  /** The same, for one workflow of loops by its name. */
  workflows: z.record(z.string(), z.strictObject(ruleFields)).default({}),
});

export type Config = z.infer<typeof configSchema>;

/** What holds for one run. */
export interface Rules {
  readonly permission: Config["required-permission"];
  readonly users: readonly string[];
  readonly teams: readonly string[];
  readonly bots: readonly string[];
  readonly workflow: string;
  readonly approvers: readonly string[];
  readonly minimum: number;
  readonly excludeAuthor: boolean;
  readonly moved: "ask" | "show" | "ignore";
}

export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] };

/** What is wrong in the file, where. */
export interface ConfigFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** The file is wrong: nobody may do anything until it is right. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Reads a configuration; all its faults at once. */
export function readConfig(text: string): ReadConfig {
  if (text.trim() === "") return { ok: true, config: configSchema.parse({}) };
  const { value, faults: unreadable, places } = readYaml(text);
  if (unreadable.length > 0) return { ok: false, faults: unreadable };
  const read = configSchema.safeParse(value ?? {});
  if (read.success) return { ok: true, config: read.data };
  const faults = read.error.issues.map(({ path, message }) => {
    const at = path.filter((part) => typeof part !== "symbol");
    return { line: places(at).line, message: `${at.length === 0 ? "" : `${at.join(".")}: `}${message}` };
  });
  return { ok: false, faults };
}

/** What a configuration says of one workflow of loops. */
export function rulesOf(config: Config, workflow: string | undefined): Rules {
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

/** The configuration of a repository's default branch, as it is now; throws `ConfigError`. */
export async function askConfig(place: Repository & { readonly api: Api }): Promise<Config> {
  const { api, owner, repo } = place;
  const route = `GET /repos/{owner}/{repo}/contents/${configFile}`;
  const found = content.optional().parse(await askIfThere(api, route, { owner, repo }));
  return parseConfig(Buffer.from(found?.content ?? "", "base64").toString("utf8"));
}

/** The configuration a text says; throws `ConfigError`, naming the first fault. */
export function parseConfig(text: string): Config {
  const read = readConfig(text);
  if (read.ok) return read.config;
  const [fault] = read.faults;
  throw new ConfigError(`${configFile}, line ${fault?.line ?? 1}: ${fault?.message ?? "cannot be read"}`);
}

const content = z.object({ content: z.string(), encoding: z.literal("base64") });
