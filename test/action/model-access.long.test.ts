import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { openIsolation } from "../../src/processes/isolation.ts";
import { fakes, layProgram } from "../agents/fake-programs.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { checkoutFrom, useOnHost } from "./source.ts";

/** A way to pay for Claude Code, as docs/model-access.md describes it. */
interface Access {
  /** Its workflow in examples/workflows. */
  readonly workflow?: string;
  readonly inputs?: Readonly<Record<string, string>>;
  /** What the cloud's login action exports to the steps after it. */
  readonly login?: Readonly<Record<string, string>>;
  /** What Claude Code needs, by its own documentation. */
  readonly gets: Readonly<Record<string, string>>;
  /** The file of the cloud's login that it reads; it finds those of all other clouds empty. */
  readonly reads?: (typeof loginFiles)[number];
}

const walls = await openIsolation({ environment: {} }).walls();
const hasWall = walls.some(({ name, on }) => name === "processes" && on);

/** In the checkout or the home. */
const loginFiles = ["gha-creds-0123.json", ".aws/credentials", ".azure/msal_token_cache.json"] as const;

const token = "sk-ant-oat01-0123456789abcdef";

const ways: Readonly<Record<string, Access>> = {
  "a subscription": {
    inputs: { "claude-code-oauth-token": token },
    gets: { CLAUDE_CODE_OAUTH_TOKEN: token },
  },
  "Amazon Bedrock": {
    workflow: "bedrock",
    login: {
      AWS_REGION: "us-east-1",
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "aws-secret-0123456789",
      AWS_SESSION_TOKEN: "aws-session-0123456789",
    },
    gets: {
      CLAUDE_CODE_USE_BEDROCK: "1",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "ASIAEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "aws-secret-0123456789",
      AWS_SESSION_TOKEN: "aws-session-0123456789",
    },
  },
  "Google Vertex AI": {
    workflow: "vertex",
    login: {
      GOOGLE_APPLICATION_CREDENTIALS: "WORKSPACE/gha-creds-0123.json",
      GOOGLE_GHA_CREDS_PATH: "WORKSPACE/gha-creds-0123.json",
      GOOGLE_CLOUD_PROJECT: "our-project",
    },
    reads: "gha-creds-0123.json",
    gets: {
      CLAUDE_CODE_USE_VERTEX: "1",
      CLOUD_ML_REGION: "global",
      ANTHROPIC_VERTEX_PROJECT_ID: "vars.GCP_PROJECT",
      GOOGLE_APPLICATION_CREDENTIALS: "WORKSPACE/gha-creds-0123.json",
    },
  },
  "Microsoft Foundry": {
    workflow: "foundry",
    reads: ".azure/msal_token_cache.json",
    gets: { CLAUDE_CODE_USE_FOUNDRY: "1", ANTHROPIC_FOUNDRY_RESOURCE: "vars.FOUNDRY_RESOURCE" },
  },
};

/** The job's variables and our step's inputs in a ready workflow. */
function stepOf(workflow: string | undefined) {
  if (workflow === undefined) return { env: {}, inputs: {} };
  const { jobs } = parse(readFileSync(`examples/workflows/${workflow}.yml`, "utf8")) as Workflow;
  const { env = {}, steps } = jobs.loop;
  const inputs = steps.find(({ uses = "" }) => uses.startsWith("until-green/"))?.with ?? expect.fail();
  const plain = Object.entries(inputs).filter(([, value]) => !String(value).includes("${{"));
  return { env, inputs: Object.fromEntries(plain.map(([name, value]) => [name, String(value)])) };
}

interface Workflow {
  readonly jobs: {
    readonly loop: {
      readonly env?: Readonly<Record<string, string>>;
      readonly steps: readonly {
        readonly uses?: string;
        readonly with?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
}

/** Takes what the agent and the check of a job see in their environment. */
async function runJob({ workflow, inputs, login = {} }: Access) {
  const host = await openGitHubHost({ files: { "state.txt": "red\n", ".gitignore": "gha-creds-*.json\n" } });
  onTestFinished(() => host.close());
  const workspace = await checkoutFrom(host, "main");
  const home = mkdtempSync(join(tmpdir(), "home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [inCheckout, ...inHome] = loginFiles;
  const files = [join(workspace, inCheckout), ...inHome.map((name) => join(home, name))];
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "the login\n");
  }
  const claude = fakes.find(({ agent }) => agent === "claude") ?? expect.fail();
  const look = files.map((file, at) => `cat ${file} > login-${at}.txt 2> /dev/null`);
  const script = ["env -0 > agent.env", ...look, "echo green > state.txt", "answer"].join("; ");
  const step = stepOf(workflow);
  const variables = Object.entries({ ...step.env, ...login }).map(([name, value]) => [
    name,
    value.replace(/^\$\{\{ (.*) \}\}$/, "$1").replace("WORKSPACE", workspace),
  ]);
  const { workflow: _, publish: __, ...given } = step.inputs;
  const result = await useOnHost({
    host,
    workspace,
    env: {
      ...Object.fromEntries(variables),
      PATH: `${layProgram(claude, { script })}:${process.env["PATH"]}`,
      HOME: home,
      ACTIONS_ID_TOKEN_REQUEST_URL: "https://token.example",
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "the-job-may-ask-for-tokens",
    },
    inputs: {
      ...given,
      ...inputs,
      agent: "claude",
      prompt: "Make it green",
      "until-bash": "env -0 > check.env; grep -qx green state.txt",
      "check-run": "false",
      publish: "none",
    },
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success" });
  const read = (file: string) => readFileSync(join(workspace, file), "utf8");
  return { workspace, log: result.log.join("\n"), agent: variablesIn(read("agent.env")), read };
}

const variablesIn = (text: string) =>
  Object.fromEntries(text.split("\0").map((line) => [line.split("=", 1)[0], line.replace(/^[^=]*=?/, "")]));

describe.each(Object.entries(ways))("Claude Code paid for by %s", (_, access) => {
  test("gets what it needs to log in, and nothing by which it could act as the job", async () => {
    const { workspace, agent, log, read } = await runJob(access);
    const gets = Object.entries(access.gets).map(([name, value]) => [
      name,
      value.replace("WORKSPACE", workspace),
    ]);
    expect(agent).toMatchObject(Object.fromEntries(gets));
    expect(
      Object.keys(agent).filter((name) => /^(ACTIONS_|GITHUB_TOKEN|GH_TOKEN|INPUT_)/.test(name)),
    ).toEqual([]);
    expect(log).not.toContain(token);
    expect(read("check.env")).not.toContain(token);
    const seen = loginFiles.filter((_, at) => read(`login-${at}.txt`) !== "");
    // A file of the checkout is hidden only if a variable says that it is a login.
    const expected = [loginFiles[0], access.reads].filter((file) => file !== undefined);
    expect(seen).toEqual(hasWall ? [...new Set(expected)] : loginFiles);
  });
});
