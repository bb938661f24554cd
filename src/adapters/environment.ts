/** Environment variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a process we start may see: the caller's environment without the keys to GitHub and to the job's own files,
 * and with the keys to models only for agents; `extra` is added as it is.
 */
export function childEnvironment(
  base: Environment,
  extra: Environment,
  { forAgent = false }: { readonly forAgent?: boolean } = {},
): Record<string, string> {
  const kept = Object.entries(base).filter(([name]) => !isOurs(name) && (forAgent || !isModelKey(name)));
  const entries = [...kept, ...Object.entries(extra)];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The values of an environment that nobody may read: keys and tokens, to be struck from what people see. */
export function secretValues(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /(KEY|TOKEN|BEDROCK)$/.test(name) && (isOurs(name) || isModelKey(name)) ? [value] : [],
  );
}

const isOurs = (name: string) => ours.has(name) || /^(ACTIONS|INPUT|UNTIL_GREEN)_/.test(name);

const isModelKey = (name: string) =>
  modelKeys.has(name) ||
  /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|CODEX|OPENROUTER|AZURE_OPENAI)_.*(KEY|TOKEN)$/.test(name);

/** Whoever has these acts as the job: pushes, comments, or changes what its later steps do. */
const ours: ReadonlySet<string> = new Set([
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENV",
  "GITHUB_PATH",
  "GITHUB_OUTPUT",
  "GITHUB_STATE",
  "GITHUB_STEP_SUMMARY",
]);

const modelKeys: ReadonlySet<string> = new Set([
  "CLAUDE_CODE_OAUTH_TOKEN",
  "COPILOT_GITHUB_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "CURSOR_API_KEY",
  "DEEPSEEK_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
]);
