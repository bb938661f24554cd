import { isProgram } from "../../src/api/workflows.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { Job } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";

/** For jobs that Dependabot started, which read their secrets from another store: warns if no agent has a key. */
export function warnWithoutSecrets(names: Iterable<string | undefined>, inputs: Inputs, job: Job): void {
  const asksModel = [...names].some((name) => name === undefined || /^api\b/.test(name) || isProgram(name));
  const given = access.some((input) => Object.keys(inputs[input]).length > 0);
  if (!asksModel || given || variables.some((name) => job.env[name])) return;
  job.log.annotate(
    annotation(
      "warning",
      "no agent has a key: a job that Dependabot started gets no secrets of Actions. Add the key to Dependabot's own " +
        "secrets too (Settings → Secrets and variables → Dependabot, or gh secret set NAME --app dependabot)",
    ),
  );
}

const access = [
  "anthropic-api-key",
  "claude-code-oauth-token",
  "openai-api-key",
  "gemini-api-key",
  "use-bedrock",
  "use-vertex",
  "use-foundry",
] as const;

const variables = ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/** Where keys come from that these agents lack, beside the usual secret. */
export const moreAboutKeys = (agents: readonly string[], env: Job["env"]): readonly string[] => [
  ...(agents.includes("copilot") ? [ownToken] : []),
  ...(env["GITHUB_ACTOR"] === "dependabot[bot]" ? [otherStore] : []),
];

const ownToken =
  "Copilot needs no key if the job has `permissions: copilot-requests: write`: then it uses the job's own token";

const otherStore =
  "Dependabot started this job, and such jobs get none of the secrets of Actions: add the key under Settings → Secrets and variables → Dependabot, too";
