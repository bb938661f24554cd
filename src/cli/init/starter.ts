import { docs } from "../../plan/docs.ts";
import { shellWord } from "../../processes/shell-word.ts";
import type { Project } from "./folder.ts";

/** The values that the starter files are made from. */
export interface Starter {
  /** The name of the loop and of its file. */
  readonly name: string;
  /** The project's folder relative to the top of the repository; empty at the top. */
  readonly dir: string;
  readonly project: Project;
}

const schema = "https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json";

/** The loop as a workflow file. */
export function loopFile({ name, dir, project }: Starter): string {
  return `# yaml-language-server: $schema=${schema}
name: ${name}
description: Fix the failing tests one at a time
nodes:
  - id: fix
    loop:
      prompt: |
        ${quoted(project.check)} fails${dir === "" ? "" : ` in ${dir}`}. Pick one failure and fix its cause in the source.
        Do not change the tests. What the tests printed last:
        $LOOP_CHECK_OUTPUT
      until_bash: ${yamlText(checkOf({ dir, project }))}
      max_iterations: 8
      fresh_context: true
      no_progress: 3
      # Tests and the configuration of their tools are restored before each check:
      # ${docs}/honest-green.md
      check: { baseline: true, timeout: 10m }
`;
}

/** The bash that runs the project's tests from the top of the repository. */
export const checkOf = ({ dir, project }: Pick<Starter, "dir" | "project">): string =>
  dir === "" ? project.check : `cd ${shellWord(dir)} && ${project.check}`;

/** The GitHub workflow that runs the loop and opens a pull request. */
export function workflowFile({ name, dir, project }: Starter): string {
  const install =
    project.install === undefined
      ? []
      : [`- run: ${project.install}${dir === "" ? "" : `\n  working-directory: ${yamlText(dir)}`}`];
  const steps = [...project.setup, ...install];
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
