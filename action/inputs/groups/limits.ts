import { duration, flag, number, wholeNumber, wordList } from "../field-schemas.ts";
import { input } from "../input.ts";

/** Limits, and runs for the same goal. */
export const limits = {
  "max-tokens": input(
    wholeNumber,
    "Budget of the run in tokens (input plus output), across all its jobs. It counts the tokens that agents report.",
  ),
  "max-minutes": input(
    number,
    "Minutes after which the run pauses and, if permitted, dispatches the next job; default 330. Must be less than the job's `timeout-minutes`.",
  ),
  patience: input(
    duration,
    "How long the job waits when the provider has a rate limit or an outage, for example `10m`; default 30m. After that, or at once if the provider asks for a longer wait, the run pauses and frees the runner; `command: sweep` or the app resumes it later.",
  ),
  cooldown: input(
    duration,
    "Minimum time between two attempts at the same goal (the published branch), for example `6h`. A run that starts earlier ends without calling an agent.",
  ),
  "stop-after": input(
    wholeNumber,
    "Maximum failed attempts in a row at the same goal. Further runs end without calling an agent until the workflow changes or someone starts a run with a `message`.",
  ),
  "max-open": input(
    wholeNumber,
    "Maximum open pull requests from `until-green/…` branches. A run that would open another ends without calling an agent.",
  ),
  "gate-timeout": input(
    duration,
    "How long a run that waits for a person keeps its goal (the published branch); default 7d. After that, the next run cancels it and takes over.",
  ),
  "failure-issue": input(
    wholeNumber,
    "Number of failed attempts in a row after which an issue reports them, with the failing tests. Later attempts update the issue, and the first success closes it. The job needs write permission for `issues`.",
  ),
  "day-usd": input(
    number,
    "Budget of all runs of this goal (the published branch) per UTC day, in US dollars.",
  ),
  "day-tokens": input(wholeNumber, "Budget of all runs of this goal per UTC day, in tokens."),
  "per-pull-request-usd": input(
    number,
    "Budget of all runs for one pull request of this goal, in US dollars.",
  ),
  "per-person-usd": input(
    number,
    "Budget of the runs of this goal that one person starts in a day, in US dollars.",
  ),
  "until-checks": input(
    wordList,
    "Checks of the pull request that must pass before the goal is reached; `all`, or names separated by commas or one per line. The next run works on those that failed, with their logs and what their apps report.",
  ),
  "until-reviews": input(
    flag,
    "Whether the goal also needs an approving review and no open review thread, `true` or `false`. The next run works on open threads and on reviews that request changes, and answers them.",
    { fallback: "false" },
  ),
  "until-mergeable": input(
    flag,
    "Whether the goal is reached only when GitHub says that the pull request can be merged, `true` or `false`. If the base requires branches to be up to date, the branch is updated. Conflicts are resolved with or without this input.",
    { fallback: "false" },
  ),
} as const;
