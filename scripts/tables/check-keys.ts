import { duration } from "./key.ts";
import { wallWords } from "./wall-keys.ts";

/** The keys of `check:`. */
export const checkWords = {
  timeout: {
    what: "A check that takes longer is killed and counts as not done; default 10m.",
    values: duration,
  },
  retries: {
    what: "How many times a failing check runs again before the failure counts; for flaky tests.",
    fallback: 0,
  },
  baseline: {
    what: "Run the check before the first iteration. If it is green, the loop ends as `nothing-to-do`. If it is red, its output is `$LOOP_CHECK_OUTPUT` in the first prompt. If it reaches no test, the loop fails.",
    fallback: false,
  },
  tests: {
    what: "If tests of the baseline no longer run: `keep`: the check is not green. `review`: it is green, but a person decides. `any`: only the exit code counts.",
    fallback: "review",
  },
  protected: {
    what: "If the check passes only with the agent's changes to protected files: `refuse`: they are undone, always. `review`: the agent gets one more try, then a person decides. `allow`: nothing is protected.",
    fallback: "review",
  },
  confirm:
    "How many times in a row the check must pass; default 1, or 2 if it was both red and green on the same files.",
  stress:
    "How many times the check runs, before the first iteration and after each one; it passes only if none of the runs fails. For flaky tests: the output begins with how often each test failed, and the 95 % interval of that rate.",
  clean: {
    what: "Whether the check must also pass in a fresh clone with an empty HOME. Default: `on` if tests ran or the check uses a known tool.",
    values: "`on` or `off`",
  },
  setup: {
    what: "The command that prepares a fresh clone for the check, such as `npm ci`. Default: derived from the lock file.",
    values: "bash",
  },
  ...wallWords,
};
