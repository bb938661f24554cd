/** The runner's command files of a step; agents and checks do not need them. */
export const runnerFileNames = [
  "GITHUB_ENV",
  "GITHUB_PATH",
  "GITHUB_OUTPUT",
  "GITHUB_STATE",
  "GITHUB_STEP_SUMMARY",
] as const;

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a process we start: the caller's, without GitHub tokens and the runner's files, and with API keys
 * only for agents. `extra` is added unchanged.
 */
export function childEnvironment(
  base: Environment,
  extra: Environment,
  { forAgent = false }: { readonly forAgent?: boolean } = {},
): Record<string, string> {
  const kept = Object.entries(base).filter(
    ([name]) => !isOurs(name) && !isTraceKey(name) && (forAgent || !isModelKey(name)),
  );
  const entries = [...kept, ...Object.entries(extra)];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * The environment of an agent's program and of the shells it starts: what programs need in order to run, and the
 * variables listed in `UNTIL_GREEN_AGENT_ENV`. `extra` is added unchanged. Throws for a name that no agent may have.
 */
export function agentEnvironment(base: Environment, extra: Environment): Record<string, string> {
  const named = (base[agentEnvName] ?? "").split(/[\s,]+/).filter((name) => name !== "");
  const barred = named.find(isOurs);
  if (barred !== undefined)
    throw new Error(`${agentEnvName} names ${barred}, which would let an agent act as the job: remove it`);
  const wanted = new Set(named);
  const kept = Object.entries(base).filter(([name]) => wanted.has(name) || isPlain(name));
  const entries = [...kept, ...withLoopback(Object.fromEntries(kept)), ...Object.entries(extra)];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Loopback bypasses any proxy: the key proxy listens there, and so do servers that tests start. */
function withLoopback(kept: Environment): readonly (readonly [string, string])[] {
  if (!Object.keys(kept).some((name) => /^(https?|all)_proxy$/i.test(name))) return [];
  const noProxy = kept["NO_PROXY"] ?? kept["no_proxy"] ?? "";
  const hosts = [...noProxy.split(","), "127.0.0.1", "localhost"].map((host) => host.trim());
  const all = [...new Set(hosts.filter((host) => host !== ""))].join(",");
  return [
    ["NO_PROXY", all],
    ["no_proxy", all],
  ];
}

/** Lists more variables that agents see, separated by spaces or commas. */
const agentEnvName = "UNTIL_GREEN_AGENT_ENV";

/** Removes the API keys from this process's environment, so that no program inherits them by accident. */
export function takeModelKeys(variables: Record<string, string | undefined>): Environment {
  const keys = Object.fromEntries(
    Object.entries(variables).filter(([name]) => isModelKey(name) || isTraceKey(name)),
  );
  for (const name of Object.keys(keys)) delete variables[name];
  return keys;
}

/** The secret values of an environment: keys and tokens, which are redacted from everything people see. */
export function secretValues(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value && isTraceKey(name)) return headerValues(value);
    return value && /(KEY|TOKEN|BEDROCK)$/.test(name) && (isOurs(name) || isModelKey(name)) ? [value] : [];
  });
}

/** The last words of the values in `name=value,name=Bearer%20value`, as given and decoded. Short ones are not keys. */
function headerValues(headers: string): readonly string[] {
  const values = headers.split(",").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  const plain = values.map((value) => value.replace(/%([0-9a-f]{2})/gi, (_, code) => byteOf(code)));
  const secrets = [...values, ...plain].map((value) => value.split(/\s|%20/).at(-1) ?? "");
  return [...new Set(secrets)].filter(({ length }) => length >= 16);
}

const byteOf = (code: string) => String.fromCharCode(Number.parseInt(code, 16));

/** Other values that look like secrets by name and form. Plain words, paths and addresses do not match. */
export function likelySecrets(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && secretName.test(name) && (secretLooks.test(value) || privateKey.test(value)) ? [value] : [],
  );
}

const secretName =
  /(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|(API|ACCESS|AUTH|DEPLOY|ENCRYPTION|PRIVATE|SECRET|SIGNING|SSH)_?KEY)$/i;
const secretLooks = /^(?![~.]?\/)(?!\S*:\/\/)(?=\S*\d)(?=\S*[a-z])\S{16,}$/i;
const privateKey = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** The value of a variable that a prompt may contain; `undefined` if its name suggests a key or token. */
export const promptVariable = (environment: Environment, name: string): string | undefined =>
  isOurs(name) || isModelKey(name) || isTraceKey(name) || secretName.test(name)
    ? undefined
    : environment[name];

/** Whether no program that we start sees a variable, because it belongs to the job. */
export const isOurs = (name: string): boolean =>
  ourNames.has(name) || /^(ACTIONS|INPUT|UNTIL_GREEN)_/.test(name);

const isModelKey = (name: string) =>
  modelKeys.has(name) ||
  /^(ANTHROPIC|OPENAI|GEMINI|GOOGLE|KIMI|CODEX|COPILOT|OPENCODE|OPENROUTER|AZURE_OPENAI)_.*(KEY|TOKEN)$/.test(
    name,
  );

/** A process with these can act as the job: push, comment, or change later steps. */
const ourNames: ReadonlySet<string> = new Set([
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  ...runnerFileNames,
]);

/** The headers for sending traces contain a key that no other program needs. */
const isTraceKey = (name: string) => /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/.test(name);

const modelKeys: ReadonlySet<string> = new Set([
  "CLAUDE_CODE_OAUTH_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
  "CURSOR_API_KEY",
  "DEEPSEEK_API_KEY",
  "GROQ_API_KEY",
  "MISTRAL_API_KEY",
  "XAI_API_KEY",
]);

const isPlain = (name: string) => plain.has(name) || plainPatterns.test(name);

const plainPatterns = /^(LC_|XDG_|JAVA_HOME|PLAYWRIGHT_BROWSERS_PATH$)/;

/** Variables that describe the machine, not permissions. */
const plain: ReadonlySet<string> = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR FORCE_COLOR TZ TMPDIR TMP TEMP HOSTNAME",
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy NODE_USE_ENV_PROXY",
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO",
    "NODE_ENV NODE_OPTIONS NVM_DIR VOLTA_HOME COREPACK_HOME PNPM_HOME BUN_INSTALL DENO_DIR YARN_CACHE_FOLDER",
    "npm_config_cache npm_config_registry NPM_CONFIG_CACHE NPM_CONFIG_REGISTRY NPM_CONFIG_PREFIX",
    "VIRTUAL_ENV PYENV_ROOT PYTHONPATH PIP_CACHE_DIR PIP_INDEX_URL UV_CACHE_DIR CONDA_PREFIX GEM_HOME BUNDLE_PATH RBENV_ROOT",
    "GOPATH GOROOT GOCACHE GOMODCACHE GOPROXY GOFLAGS CARGO_HOME RUSTUP_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME",
    "DOTNET_ROOT ANDROID_HOME ANDROID_SDK_ROOT CC CXX LD_LIBRARY_PATH PKG_CONFIG_PATH CHROME_BIN DOCKER_HOST",
    "CI GITHUB_ACTIONS GITHUB_REPOSITORY GITHUB_REF GITHUB_REF_NAME GITHUB_HEAD_REF GITHUB_BASE_REF GITHUB_SHA",
    "GITHUB_WORKSPACE GITHUB_RUN_ID GITHUB_SERVER_URL RUNNER_OS RUNNER_ARCH RUNNER_TEMP RUNNER_TOOL_CACHE",
    // Every runner sets it for its job's processes, and kills them by it at the end of the job.
    "RUNNER_TRACKING_ID",
  ].flatMap((line) => line.split(" ")),
);
