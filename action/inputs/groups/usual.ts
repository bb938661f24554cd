import { choice, keyOf, number, text, trimmedText, wholeNumber } from "../field-schemas.ts";
import { input } from "../input.ts";

/** The usual ones. */
export const usual = {
  workflow: input(
    trimmedText,
    "The workflow to run, by path or by name in `.github/loops/` or `.archon/workflows/`. With `command: check`, a list of workflows, one per line; by default all workflows in these folders.",
  ),
  "until-bash": input(
    text,
    "The inline loop ends when this command exits 0. It runs with `-eo pipefail`, like a `run:` step. Without `workflow`, this input alone is enough.",
    { alias: "check" },
  ),
  prompt: input(
    text,
    "The prompt of an inline loop, used instead of a workflow file. By default the agent makes `until-bash` pass, and is not called if it passes already.",
  ),
  agent: input(
    trimmedText,
    "The agent of every node; overrides the workflow. `claude`, `codex`, `gemini`, `copilot`, `opencode`, `qwen`, `pi`, `kimi`, `api` (built in, needs only a key), `command:CMD` for any program, `scripted:FILE` for a file of replies. If neither this input nor the workflow names an agent, the first available one is used; with `claude-code-oauth-token` alone, `claude` is installed.",
  ),
  model: input(trimmedText, "The model of every node; overrides the workflow."),
  "anthropic-api-key": input(
    keyOf("ANTHROPIC_API_KEY"),
    "Passed to agents as `ANTHROPIC_API_KEY`. Checks, scripts and other shell commands never see it.",
  ),
  "max-cost-usd": input(
    number,
    "Budget of the run in US dollars, across all its jobs. It counts the cost that agents report.",
  ),
  "max-iterations": input(wholeNumber, "Maximum iterations of the inline loop; default 10."),
  publish: input(
    choice("none", "pull-request", "branch", "push"),
    "What happens to the changes. `none` leaves them in the checkout for later steps; `pull-request` pushes a branch and opens or updates a pull request; `branch` only pushes the branch; `push` pushes to the head of the pull request once the run has succeeded.",
    { fallback: "none" },
  ),
  "github-token": input(
    trimmedText,
    "The token for comments, checks, branches, pull requests, stored runs and dispatching the next job. The job's `permissions` decide what it may do.",
    { fallback: `\${{ github.token }}` },
  ),
} as const;
