import { expect, test } from "vitest";
import {
  agentEnvironment,
  childEnvironment,
  likelySecrets,
  secretValues,
  takeModelKeys,
} from "../../src/processes/environment.ts";

const base = { PATH: "/bin", HOME: "/home/me", CI: "true", GITHUB_REPOSITORY: "a/b", NOTHING: undefined };
const kept = { PATH: "/bin", HOME: "/home/me", CI: "true", GITHUB_REPOSITORY: "a/b" };

test.each([
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_ENV",
  "GITHUB_PATH",
  "GITHUB_OUTPUT",
  "GITHUB_STATE",
  "GITHUB_STEP_SUMMARY",
  "ACTIONS_RUNTIME_TOKEN",
  "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
  "INPUT_ANTHROPIC-API-KEY",
  "UNTIL_GREEN_STATE_KEY",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
])("no process sees %s", (name) => {
  expect(childEnvironment({ ...base, [name]: "secret" }, {})).toEqual(kept);
  expect(childEnvironment({ ...base, [name]: "secret" }, {}, { forAgent: true })).toEqual(kept);
});
test.each([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "CODEX_API_KEY",
  "COPILOT_GITHUB_TOKEN",
  "OPENROUTER_API_KEY",
])("only agents see %s", (name) => {
  expect(childEnvironment({ ...base, [name]: "key" }, {})).toEqual(kept);
  expect(childEnvironment({ ...base, [name]: "key" }, {}, { forAgent: true })).toEqual({
    ...kept,
    [name]: "key",
  });
});
test("what is given besides is seen as it is", () => {
  const extra = { PATH: "/other", UNTIL_GREEN_RUN_ID: "run-001", GH_TOKEN: "meant so" };
  expect(childEnvironment(base, extra)).toEqual({ ...kept, ...extra });
});

test("the secrets of an environment are its keys and tokens, not its paths and names", () => {
  const environment = {
    GITHUB_TOKEN: "t1",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "t2",
    ANTHROPIC_API_KEY: "k1",
    XAI_API_KEY: "k2",
    GH_TOKEN: "",
    GITHUB_ENV: "/tmp/env",
    ACTIONS_RUNTIME_URL: "https://example.com",
    MY_MONKEY: "bobo",
  };
  expect(secretValues(environment)).toEqual(["t1", "t2", "k1", "k2"]);
});

test("the keys in the headers of traces are secrets, encoded or not, and their short words are none", () => {
  const OTEL_EXPORTER_OTLP_HEADERS =
    "x-honeycomb-team=hcaik_0123456789,Authorization=Basic%20bWU6MDEyMzQ1Njc4OQ%3D%3D,x-scope=tenant";
  expect(secretValues({ OTEL_EXPORTER_OTLP_HEADERS })).toEqual([
    "hcaik_0123456789",
    "bWU6MDEyMzQ1Njc4OQ%3D%3D",
    "bWU6MDEyMzQ1Njc4OQ==",
  ]);
});

test("further secrets are known by their names and by their looks: no word, path, address or name of another thing is one", () => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----";
  const environment = {
    NPM_TOKEN: "npm_0123456789abcdef",
    DEPLOY_KEY: key,
    aws_secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    POSTGRES_PASSWORD: "postgres",
    JWT_SECRET: "a-secret-for-the-tests",
    NODE_AUTH_TOKEN: "XXXXX-XXXXX-XXXXX-XXXXX",
    GOOGLE_APPLICATION_CREDENTIALS: "/home/runner/gha-creds-0123456789.json",
    TOKEN_URL_SECRET: "https://example.com/0123456789",
    CACHE_KEY: "linux-node-24-0123456789",
    BYPASS: "0123456789abcdef",
  };
  const { NPM_TOKEN, DEPLOY_KEY, aws_secret_access_key: aws } = environment;
  expect(likelySecrets(environment)).toEqual([NPM_TOKEN, DEPLOY_KEY, aws]);
});

const secrets = {
  GITHUB_TOKEN: "t",
  GH_TOKEN: "t",
  GITHUB_ENV: "/e",
  GITHUB_OUTPUT: "/o",
  ACTIONS_RUNTIME_TOKEN: "t",
  ANTHROPIC_API_KEY: "k",
  AWS_SECRET_ACCESS_KEY: "s",
  NPM_TOKEN: "n",
  SSH_AUTH_SOCK: "/s",
  DATABASE_URL: "postgres://me:pw@db",
};

test("agents see what programs need to run, and no variable that is not listed", () => {
  const plain = {
    PATH: "/bin",
    HOME: "/h",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/x",
    https_proxy: "p",
    CI: "true",
  };
  expect(agentEnvironment({ ...plain, ...secrets }, { MINE: "1", GONE: undefined })).toEqual({
    ...plain,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    MINE: "1",
  });
});

test("agents see what the user names", () => {
  const named = { UNTIL_GREEN_AGENT_ENV: "DATABASE_URL, NPM_TOKEN\n NOT_SET" };
  expect(agentEnvironment({ ...secrets, ...named }, {})).toEqual({
    DATABASE_URL: secrets.DATABASE_URL,
    NPM_TOKEN: "n",
  });
});

test.each(["GITHUB_TOKEN", "GITHUB_ENV", "ACTIONS_RUNTIME_TOKEN"])(
  "%s cannot be named for agents",
  (name) => {
    expect(() => agentEnvironment({ ...secrets, UNTIL_GREEN_AGENT_ENV: name }, {})).toThrow(name);
  },
);

test("the keys of models are taken out of a process's variables, and nothing else is", () => {
  const variables: Record<string, string | undefined> = {
    PATH: "/bin",
    ANTHROPIC_API_KEY: "a",
    OPENROUTER_API_KEY: "o",
    ANTHROPIC_BASE_URL: "https://models.example",
    GITHUB_TOKEN: "g",
  };
  expect(takeModelKeys(variables)).toEqual({ ANTHROPIC_API_KEY: "a", OPENROUTER_API_KEY: "o" });
  expect(variables).toEqual({
    PATH: "/bin",
    ANTHROPIC_BASE_URL: "https://models.example",
    GITHUB_TOKEN: "g",
  });
});
