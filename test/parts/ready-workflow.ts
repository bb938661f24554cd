import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runAct } from "./act.ts";
import { builtAction } from "./built-action.ts";
import { runWorkflow } from "./composite/run-workflow.ts";
import type { GitHubHost } from "./github-host/host.ts";

/** Runs a workflow of `examples/workflows` or `examples/jobs`, or one of this repository's own. */
export interface Trigger {
  /** True for a job of `examples/jobs`. */
  readonly job?: true;
  /**
   * True for one of our own, in `.github/workflows`, which treat the host's repository as ours, or as a fork of it.
   */
  readonly own?: true | "in a fork";
  /** Its file name without folder and extension. */
  readonly name: string;
  readonly event: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The id of the workflow run; each has its own. */
  readonly id: number;
  /** The repository's secrets; by default a key. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** More variables of the machine. */
  readonly env?: Readonly<Record<string, string>>;
  /** Other replacements in its text. */
  readonly change?: (text: string) => string;
  /** The folder of the action; the interpreter uses the sources. */
  readonly action?: string;
}

export interface Performed {
  readonly ok: boolean;
  readonly log: string;
  /** How each job ended, by GitHub's names; a third-party runner does not report it. */
  readonly jobs: Readonly<Record<string, string>>;
}

/** Runs an example unchanged, except for a scripted agent. */
export type Perform = (host: GitHubHost, trigger: Trigger) => Promise<Performed>;

/** With our step interpreter, and the action from sources. */
export const byInterpreter: Perform = async (host, trigger) => {
  const { root, file, actions, variables } = prepare(host, trigger);
  const { name, event, payload = {}, inputs = {}, id, action = builtAction() } = trigger;
  const { secrets = aKey, env = {} } = trigger;
  const folders = Object.entries(actions).map(([uses, text], index) => {
    const folder = join(root, `stand-in-${index}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "action.yml"), text);
    return [uses.replace(/@.*/, ""), folder];
  });
  host.runs.set(id, { id, status: "in_progress" });
  const results = await runWorkflow({
    file,
    inputs,
    secrets,
    env: { PATH: process.env["PATH"] ?? "", HOME: root, ...variables, ...env },
    github: {
      event_name: event,
      event: { repository: { default_branch: "main" }, ...payload, inputs },
      repository: host.repository,
      server_url: host.origin,
      api_url: host.url,
      token: host.token,
      sha: host.git.git("rev-parse", "main"),
      run_id: String(id),
      workflow_ref: `${host.repository}/.github/workflows/${name}.yml@refs/heads/main`,
      ...(event === "pull_request" ? { ref: "refs/pull/1/merge", ref_name: "1/merge" } : {}),
    },
    stubs: { [ours(trigger)]: action, ...Object.fromEntries(folders) },
  });
  host.runs.set(id, { id, status: "completed" });
  return {
    ok: results.every(({ result }) => result !== "failure"),
    log: results.flatMap(({ name: job, log }) => [`== ${job}`, ...log]).join("\n"),
    jobs: Object.fromEntries(results.map(({ name: job, result }) => [job, result])),
  };
};

/** With `act`, and the action as shipped. */
export const byAct: Perform = async (host, trigger) => {
  const { root, file, actions, variables } = prepare(host, trigger);
  const { name, event, payload = {}, inputs = {}, id, secrets = aKey, env = {} } = trigger;
  const { cwd, path } = await checkoutWith(host, { root, file, name });
  host.runs.set(id, { id, status: "in_progress" });
  const { ok, log } = await runAct({
    cwd,
    workflow: path,
    event,
    payload: { repository: { default_branch: "main" }, ...payload, inputs },
    secrets: { ...secrets, GITHUB_TOKEN: host.token },
    variables: {
      ...variables,
      ...env,
      GITHUB_REPOSITORY: host.repository,
      GITHUB_SERVER_URL: host.origin,
      GITHUB_API_URL: host.url,
      GITHUB_RUN_ID: String(id),
      GITHUB_WORKFLOW_REF: `${host.repository}/.github/workflows/${name}.yml@refs/heads/main`,
    },
    actions,
  });
  host.runs.set(id, { id, status: "completed" });
  return { ok, log, jobs: {} };
};

const aKey = { ANTHROPIC_API_KEY: "sk-never-used" };

/** The reference to the action in our own workflows, and in all others. */
const ours = ({ own }: Trigger) => (own ? "./" : "until-green/until-green");

const fileOf = ({ name, own, job }: Trigger) =>
  job ? `examples/jobs/${name}/workflow.yml` : `${own ? ".github" : "examples"}/workflows/${name}.yml`;

function prepare(host: GitHubHost, trigger: Trigger) {
  const { name, own, change = (text) => text } = trigger;
  const root = mkdtempSync(join(tmpdir(), "ready-workflow-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const text = readFileSync(fileOf(trigger), "utf8")
    .replaceAll(/agent: (?:claude|copilot)\b/g, "agent: scripted:.github/session.yml")
    .replaceAll(
      "'until-green/until-green'",
      `'${own === true ? host.repository : "until-green/until-green"}'`,
    );
  const file = join(root, `${name}.yml`);
  writeFileSync(file, change(text));
  const used = [...text.matchAll(/uses: ((?!until-green\/)[\w-]+\/([\w-]+)@\w+)/g)];
  const actions = Object.fromEntries(used.map(([, uses = "", short = ""]) => [uses, standIns[short] ?? ""]));
  const artifacts = join(root, "artifacts");
  mkdirSync(artifacts);
  const url = host.cloneUrl.replace("://", `://x:${host.token}@`);
  // In a file: the environment of a job holds no token.
  const source = join(root, "source");
  writeFileSync(source, url);
  const variables = {
    STAND_IN_ORIGIN: host.cloneUrl,
    STAND_IN_SOURCE: source,
    STAND_IN_ARTIFACTS: artifacts,
  };
  return { root, file, actions, variables };
}

interface Example {
  readonly root: string;
  readonly file: string;
  readonly name: string;
}

async function checkoutWith(host: GitHubHost, { root, file, name }: Example) {
  const cwd = join(root, "checkout");
  const { openClone } = await import("./clones.ts");
  const clone = await openClone(
    { ...host.git, url: host.cloneUrl, origin: host.origin, token: host.token },
    { depth: 1 },
  );
  cpSync(clone.path, cwd, { recursive: true });
  mkdirSync(join(cwd, ".github/workflows"), { recursive: true });
  const path = join(".github/workflows", `${name}.yml`);
  // That runner does not support the key, and runs only one workflow at a time.
  writeFileSync(join(cwd, path), readFileSync(file, "utf8").replace(/^ +queue: max\n/m, ""));
  return { cwd, path };
}

const composite = (inputs: readonly string[], env: string, run: string) => `
name: stand-in
description: Does what the action does that is not here
inputs: { ${inputs.map((input) => `${input}: { default: "" }`).join(", ")} }
runs:
  using: composite
  steps:
    - shell: bash
      env: { ${env} }
      run: |
${run.replace(/^/gm, "        ")}
`;

/** Stubs that really do what other actions do: a clone, and files passed between jobs. */
const standIns: Readonly<Record<string, string>> = {
  checkout: composite(
    ["ref", "path", "fetch-depth", "persist-credentials"],
    `DEPTH: "\${{ inputs.fetch-depth || 1 }}", REF: "\${{ inputs.ref || github.event.pull_request.head.sha || github.sha }}", PLACE: "\${{ inputs.path || '.' }}"`,
    `mkdir -p "$PLACE"
cd "$PLACE"
find . -mindepth 1 -delete
git init --quiet --initial-branch=main
git remote add origin "$STAND_IN_ORIGIN"
git fetch --quiet --depth=1 "$(cat "$STAND_IN_SOURCE")" "$REF"
[ "$DEPTH" != 0 ] || git fetch --quiet --unshallow "$(cat "$STAND_IN_SOURCE")" "+refs/heads/*:refs/remotes/origin/*" "$REF"
git checkout --quiet -B main FETCH_HEAD`,
  ),
  "setup-node": composite(["node-version"], "NOTHING: ''", "node --version"),
  "upload-artifact": composite(
    ["name", "path", "retention-days", "if-no-files-found"],
    `FROM: "\${{ inputs.path }}", NAME: "\${{ inputs.name }}"`,
    `mkdir -p "$STAND_IN_ARTIFACTS/$NAME" && cp -r "$FROM" "$STAND_IN_ARTIFACTS/$NAME/"`,
  ),
  "download-artifact": composite(
    ["name", "path"],
    `TO: "\${{ inputs.path }}", NAME: "\${{ inputs.name }}"`,
    `cp -r "$STAND_IN_ARTIFACTS/$NAME/." "$TO/"`,
  ),
  // Stubs of cloud logins leave what the real ones leave in a job: variables, and Google's file in the checkout.
  "configure-aws-credentials": composite(
    ["role-to-assume", "aws-region"],
    `REGION: "\${{ inputs.aws-region }}"`,
    `{ echo "AWS_REGION=$REGION"; echo "AWS_ACCESS_KEY_ID=AKIA"; echo "AWS_SECRET_ACCESS_KEY=aws-secret-0123456789"; echo "AWS_SESSION_TOKEN=aws-session-0123456789"; } >> "$GITHUB_ENV"`,
  ),
  auth: composite(
    ["workload_identity_provider", "service_account"],
    "NOTHING: ''",
    `echo '{"type":"external_account"}' > gha-creds-0123.json
echo "GOOGLE_APPLICATION_CREDENTIALS=$PWD/gha-creds-0123.json" >> "$GITHUB_ENV"`,
  ),
  login: composite(["client-id", "tenant-id", "subscription-id"], "NOTHING: ''", "echo Logged in"),
};
