import type * as schema from "../../src/dialects/native/schema.ts";
import { settings, tools } from "./agent-keys.ts";
import { duration, text, type Words } from "./key.ts";
import { placeWords, wallWords } from "./wall-keys.ts";

export const file: Words<typeof schema.documentFields> = {
  name: "**Required.** The workflow's name.",
  description: "The purpose of the workflow, in one line.",
  interactive: { what: "`true` if a loop or an approval waits for a person.", fallback: false },
  agent: { what: "The default agent; `--agent` overrides it.", values: "agent" },
  provider: { what: "Alias of `agent`.", values: "agent" },
  model: "The default model; `--model` overrides it.",
  agents: { what: "Named agents.", values: "mapping by name" },
  inputs: { what: "Inputs, available as `$INPUTS.name`.", values: "mapping by name" },
  budget: { what: "The budget of the whole run, including all resumes.", values: "mapping" },
  prices: {
    what: "US dollars per million tokens, by model: `input`, `output`, and optionally `cache_read` and `cache_write` (default: the price of `input`). They replace the built-in prices.",
    values: "mapping by model",
  },
  max_concurrency: { what: "Maximum number of nodes of a graph that run in parallel.", fallback: 8 },
  time_limit: {
    what: "Limit for the active time of the whole run; after that the run fails as `timeout`.",
    values: duration,
  },
  patience: {
    what: "How long the run waits when the provider has a rate limit or an outage, before it pauses; default 30m.",
    values: duration,
  },
  fallback_agent:
    "The agent that answers a call while the provider of the call's own agent fails. It starts a new conversation. An agent that was chosen for the whole run is not replaced.",
  fallback_model: "The model for such a call. Without `fallback_agent`, the same agent uses this model.",
  fallback_after: {
    what: "Number of failed requests of one call after which the fallback answers it.",
    fallback: 3,
  },
  cooldown: { what: "Minimum time between two runs that publish to the same branch.", values: duration },
  stop_after:
    "Maximum number of failed runs in a row for the same branch. After that, no agent is called until the workflow changes.",
  max_open: "Maximum number of open pull requests from `until-green/…` branches.",
  gate_timeout: {
    what: "How long a run that waits for a person blocks later runs of the same branch; default 7d. After that, the next run cancels it.",
    values: duration,
  },
  failure_issue:
    "Number of failed runs in a row after which an issue reports them. The issue is closed when a run succeeds. Requires `issues: write`.",
  until_checks: {
    what: "The goal is reached only when the checks of its pull request have passed: `true` for all, or their names.",
    values: "`true` or list",
  },
  until_reviews:
    "The goal is reached only when its pull request is approved, nobody requests changes, and no review thread is open.",
  until_mergeable:
    "The goal is reached only when GitHub says that its pull request can be merged. If the base requires branches to be up to date, the branch is updated.",
  title:
    "The title of the pull request; `{workflow}`, `{run}`, `{conclusion}`, `{summary}`, `{issue}` and `{output}` are replaced.",
  body: "The body of the pull request.",
  commit_message: "The message of the published commit.",
  ...wallWords,
  ...placeWords,
  nodes: { what: "**Required.** The nodes.", values: "list of nodes" },
  returns:
    "The node whose output is the workflow's output; default is the first node that no other node waits for.",
  outcome_field:
    "A boolean field that the result of `returns` must have. It says whether the work succeeded, and `run.ended` repeats it as `outcome`. It has no other effect.",
  evidence_policy: {
    what: "`required: true`: the run fails if it ends without a file `$ARTIFACTS_DIR/evidence.json`.",
    values: "mapping",
  },
  ...tools,
  ...settings,
};

export const agent: Words<typeof schema.agentFields> = {
  agent: { what: "The agent that the name stands for.", values: "agent" },
  provider: { what: "Alias of `agent`.", values: "agent" },
  model: "Its model.",
  instructions: "Text that is put before every prompt.",
  result_schema: {
    what: "The schema of its answers; for a judge, the schema needs a boolean `done`.",
    values: "JSON schema",
  },
  ...tools,
  ...settings,
};

export const input: Words<typeof schema.inputFields> = {
  default: { what: "The default value; without one the input is required.", values: text },
  description: "A description for people who read the file.",
  required: { what: "`false`: optional, and empty by default.", fallback: true },
};

export const budget: Words<typeof schema.budgetFields> = {
  usd: { what: "US dollars, as reported by agents.", values: "number" },
  tokens: "Tokens, input plus output.",
  minutes: { what: "Active minutes; waiting for people does not count.", values: "number" },
  max_spend_usd: "Archon's word for `usd`.",
  warn_at: {
    what: "Amounts at which the run gives a notice and continues: `{usd: 4}`, or a list of such mappings.",
    values: "mapping",
  },
  day_usd: "US dollars per UTC day for all runs that publish to the same branch.",
  day_tokens: "Tokens per UTC day for all runs that publish to the same branch.",
  per_pull_request_usd: "US dollars for all runs of one pull request.",
  per_person_usd: "US dollars per UTC day for the runs that one person starts.",
};
