import { duration } from "./key.ts";
import { wallWords } from "./wall-keys.ts";

/** What the keys of `check:` mean. */
export const checkWords = {
  timeout: {
    what: "A check that takes longer is killed and counts as not done; default 10m.",
    values: duration,
  },
  retries: { what: "How often a failing check runs again before it counts, for flaky tests.", fallback: 0 },
  baseline: {
    what: "Run the check before the first iteration; a check that reaches no test fails the loop, green means `nothing-to-do`, and red output is `$LOOP_CHECK_OUTPUT` of the first prompt.",
    fallback: false,
  },
  tests: {
    what: "`keep`: green requires every test that the check's output named in the baseline. `any`: only the exit code counts.",
    fallback: "keep",
  },
  confirm: {
    what: "How often in a row the check must pass; default 1, or 2 if it was red and green on the same files.",
  },
  clean: {
    what: "Whether the check must also pass in a fresh clone with an empty HOME. Default: on if tests ran or the check's tools are known.",
    values: "`on` or `off`",
  },
  setup: {
    what: "The command that prepares a fresh clone for the check, such as `npm ci`. Default: derived from the lock file.",
    values: "bash",
  },
  ...wallWords,
};
