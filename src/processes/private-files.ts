import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { keyNames } from "../ports/places.ts";
import { type Environment, runnerFileNames } from "./environment.ts";
import { attempt } from "./lenient-reads.ts";

/** Files and folders with the user's keys, tokens and conversations; no program of a run needs them. */
export const credentialsOf = (home: string): readonly string[] => keyNames.map((name) => join(home, name));

/**
 * Credentials in other places, named by variables, as steps of a job set them. Variables listed in
 * `UNTIL_GREEN_AGENT_ENV` are skipped: agents are meant to use those.
 */
export function credentialsNamed(environment: Environment): readonly string[] {
  const meant = (environment["UNTIL_GREEN_AGENT_ENV"] ?? "").split(/[\s,]+/);
  const named = credentialVariables
    .filter((name) => !meant.includes(name))
    .flatMap((name) => (environment[name] ?? "").split(delimiter))
    .filter(isAbsolute);
  const cargo = environment["CARGO_HOME"] ?? "";
  const ofCargo = ["credentials", "credentials.toml"].map((name) => join(cargo, name)).filter(isAbsolute);
  return [...named, ...ofCargo, ...kerberosTickets()];
}

/** The default place, which no variable names. */
function kerberosTickets(): readonly string[] {
  const own = `krb5cc_${process.getuid?.()}`;
  const names = existsSync("/tmp") ? readdirSync("/tmp") : [];
  return names.filter((name) => name === own || name.startsWith(`${own}_`)).map((name) => join("/tmp", name));
}

/**
 * The existing files and folders with credentials that variables name: those that tools know, also by a path relative
 * to `cwd`, and files in every other variable whose name says so.
 */
export function credentialPaths(environment: Environment, cwd: string): readonly string[] {
  const known = credentialVariables.flatMap((name) => (environment[name] ?? "").split(delimiter));
  const others = Object.entries(environment).flatMap(([name, value = ""]) =>
    credentialName.test(name) && isAbsolute(value) && isFile(value) ? [value] : [],
  );
  const paths = [...known.filter((path) => path !== "").map((path) => resolve(cwd, path)), ...others];
  return paths.filter((path) => existsSync(path));
}

const credentialName =
  /(?:CREDENTIALS?|CREDS|TOKEN|SECRET|PASSWORD|KEY|AUTH)(?:_FILE|_PATH)?(?:_OVERRIDE)?$/i;

const isFile = (path: string) => attempt(() => statSync(path).isFile()) === true;

const credentialVariables = [
  ...["NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "KUBECONFIG", "DOCKER_CONFIG", "GH_CONFIG_DIR"],
  ...["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"],
  ...["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_GHA_CREDS_PATH", "CLOUDSDK_CONFIG"],
  ...["CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", "AZURE_CONFIG_DIR", "AZURE_FEDERATED_TOKEN_FILE"],
  ...["GNUPGHOME", "NETRC", "PGPASSFILE", "SOPS_AGE_KEY_FILE", "KRB5CCNAME"],
];

/** Logins of agents: each agent sees only its own, and a check sees none. */
export const agentLoginsOf = (home: string): readonly string[] => agentLogins.map((name) => join(home, name));

const agentLogins = [
  ...[".claude/.credentials.json", ".claude.json", ".claude/projects", ".claude/history.jsonl"],
  ...[".codex/auth.json", ".codex/sessions", ".codex/history.jsonl", ".copilot/config.json"],
  ...[".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/tmp"],
  ...[".local/share/opencode/auth.json", ".qwen/oauth_creds.json", ".pi/agent/auth.json"],
  ".kimi-code/credentials",
];

/** The logins of the agents that a command names: its author wants them to be used. */
export function loginsNamedIn(command: string, home: string): readonly string[] {
  const names = command.match(/\b(?:claude|codex|copilot|gemini|opencode|qwen|pi|kimi)\b/g) ?? [];
  return agentLogins
    .filter((path) => names.some((name) => path.startsWith(`.${name}`) || path.includes(`/${name}/`)))
    .map((path) => join(home, path));
}

/** A self-hosted runner's credentials, next to its work folder: with them, a program could take over its jobs. */
export function runnerCredentials({ RUNNER_TEMP = "" }: Environment): readonly string[] {
  const work = dirname(RUNNER_TEMP);
  if (basename(RUNNER_TEMP) !== "_temp") return [];
  return [".credentials", ".credentials_rsaparams", ".runner", ".env", "_diag"].map((name) =>
    join(dirname(work), name),
  );
}

/** The paths of these files: the runner's folder for them, which holds nothing else, or each file. */
export function runnerFilePaths(env: Environment): readonly string[] {
  const paths = runnerFileNames.flatMap((name) => env[name] ?? []);
  const folders = paths.map(dirname).filter((folder) => basename(folder) === "_runner_file_commands");
  return folders.length > 0 ? [...new Set(folders)] : paths.filter((path) => path !== "");
}
