import { basename, dirname, join } from "node:path";
import type { Environment } from "./environment.ts";

/** Files and folders with keys, tokens and conversations of the user; no program of a run needs them. */
export const credentialsOf = (home: string): readonly string[] => credentials.map((name) => join(home, name));

const credentials = [
  ...[".ssh", ".gnupg", ".docker", ".npmrc", ".yarnrc.yml", ".netrc", ".git-credentials", ".pypirc"],
  ...[".config/git/credentials", ".git-credential-cache", ".cache/git/credential"],
  ...[".config/gh", ".config/glab-cli", ".config/hub", ".config/op"],
  ...[".aws", ".azure", ".config/gcloud", ".kube", ".oci", ".config/doctl", ".config/hcloud", ".fly"],
  ...[".config/rclone", ".s3cfg", ".boto", ".databrickscfg", ".snowflake", ".pulumi/credentials.json"],
  ...[".terraform.d/credentials.tfrc.json", ".vault-token", ".password-store", ".local/share/keyrings"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/containers/auth.json"],
  ...[".cache/huggingface/token", ".huggingface/token", ".config/ngrok", ".config/netlify", ".vercel"],
  ...[".pgpass", ".my.cnf", ".mylogin.cnf", ".config/sops", ".config/age"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
  ...[".local/share/fish/fish_history", ".mozilla", ".config/google-chrome", ".config/chromium"],
  ...[".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird"],
];

/** Logins of agents: each sees its own only, and a check none. */
export const agentLoginsOf = (home: string): readonly string[] => agentLogins.map((name) => join(home, name));

const agentLogins = [
  ...[".claude/.credentials.json", ".claude.json", ".claude/projects", ".claude/history.jsonl"],
  ...[".codex/auth.json", ".codex/sessions", ".codex/history.jsonl", ".copilot/config.json"],
  ...[".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/tmp"],
  ...[".local/share/opencode/auth.json", ".qwen/oauth_creds.json", ".pi/agent/auth.json"],
];

/** The logins of the agents that a command names: whoever wrote it means them to be used. */
export function loginsNamedIn(command: string, home: string): readonly string[] {
  const names = command.match(/\b(?:claude|codex|copilot|gemini|opencode|qwen|pi)\b/g) ?? [];
  return agentLogins
    .filter((path) => names.some((name) => path.startsWith(`.${name}`) || path.includes(`/${name}/`)))
    .map((path) => join(home, path));
}

/** What a self-hosted runner registers with, beside the folder that its jobs work in: whoever has it takes its jobs. */
export function runnerCredentials({ RUNNER_TEMP = "" }: Environment): readonly string[] {
  const work = dirname(RUNNER_TEMP);
  if (basename(RUNNER_TEMP) !== "_temp") return [];
  return [".credentials", ".credentials_rsaparams", ".runner", ".env", "_diag"].map((name) =>
    join(dirname(work), name),
  );
}
