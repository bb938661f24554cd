import { shellWord } from "../../processes/shell-word.ts";
import type { Project } from "./folder.ts";
import { type Job, readJob } from "./jobs.ts";

/** The values that the starter files are made from. */
export interface Starter {
  /** The name of the loop and of its file. */
  readonly name: string;
  /** The project's folder relative to the top of the repository; empty at the top. */
  readonly dir: string;
  readonly project: Project;
}

const schema = "https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json";

/** The loop as a workflow file: that of the job which fixes tests. */
export const loopFile = (starter: Starter): string => loopOf(readJob("fix-pr"), starter);

/** The loop of a job, with the check of the project. */
export function loopOf({ name: job, loop, check }: Job, { name, dir, project }: Starter): string {
  const named = loop
    .replace(`name: ${job}`, () => `name: ${name}`)
    .replace(/(?<=\n *)until_bash: .*/, () => `until_bash: ${yamlText(checkOf({ dir, project }))}`)
    // A script of the job may prepare the project, and run the check, on lines of their own.
    .replace(/^( +)npm ci$/m, (_, margin) => `${margin}${inFolder(dir, project.install ?? "true")}`)
    .replace(/^( +)npm test$/m, (_, margin) => `${margin}${checkOf({ dir, project })}`)
    .replaceAll(quoted(check), () => `${quoted(project.check)}${dir === "" ? "" : ` in ${dir}`}`)
    .replace(/^ *# Checks: .*\n/m, "");
  return `# yaml-language-server: $schema=${schema}\n${named}`;
}

/** The bash that runs the project's tests from the top of the repository. */
export const checkOf = ({ dir, project }: Pick<Starter, "dir" | "project">): string =>
  inFolder(dir, project.check);

const inFolder = (dir: string, command: string) =>
  dir === "" ? command : `cd ${shellWord(dir)} && ${command}`;

/** The workflow of a job, with the steps that prepare the project and, if it runs the check itself, with that. */
export function workflowOf({ name: job, workflow, check }: Job, starter: Starter): string {
  const steps = installSteps(starter)
    .map((step) => `${indented(step, 6)}\n`)
    .join("");
  return workflow
    .replaceAll(exampleSteps, () => steps)
    .replaceAll(`- run: ${check}\n`, () => `- run: ${yamlText(checkOf(starter))}\n`)
    .replaceAll(`workflow: ${job}\n`, () => `workflow: ${starter.name}\n`)
    .replaceAll(`loops/${job}.yml`, () => `loops/${starter.name}.yml`);
}

/** In the workflows of all jobs, these steps prepare the project. */
const exampleSteps =
  / {6}- uses: actions\/setup-node@.*\n {8}with:\n {10}node-version: \d+\n {6}- run: npm ci\n/g;

function installSteps({ dir, project }: Starter): readonly string[] {
  const { setup, install } = project;
  const where = dir === "" ? "" : `\n  working-directory: ${yamlText(dir)}`;
  return install === undefined ? setup : [...setup, `- run: ${install}${where}`];
}

/** The GitHub workflow that runs the loop and opens a pull request. */
export function workflowFile(starter: Starter): string {
  const { name } = starter;
  const steps = installSteps(starter);
  return `# Runs the loop in .github/loops/${name}.yml and opens a pull request with the fix.
# Needs one secret: CLAUDE_CODE_OAUTH_TOKEN (run \`claude setup-token\`) or ANTHROPIC_API_KEY.
name: ${name}

on:
  workflow_dispatch:

permissions:
  contents: write # the branch with the fix, and the refs that keep the run
  pull-requests: write # the pull request

jobs:
  loop:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
${steps.map((step) => indented(step, 6)).join("\n")}${steps.length === 0 ? "" : "\n"}\
      # Not released yet: pin a commit of until-green/until-green instead of v1.
      - uses: until-green/until-green@v1
        with:
          workflow: ${name}
          agent: claude
          claude-code-oauth-token: \${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}
          anthropic-api-key: \${{ secrets.ANTHROPIC_API_KEY }}
          max-cost-usd: 5
          max-minutes: 50
          publish: pull-request
`;
}

const indented = (text: string, by: number) => text.replace(/^/gm, " ".repeat(by));

const quoted = (text: string) => `\`${text}\``;

/** A text as a YAML scalar on one line. */
const yamlText = (text: string) =>
  /^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z_./][\w./ &=+-]*$/i.test(text) ? text : JSON.stringify(text);
