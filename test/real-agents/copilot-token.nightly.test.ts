import { keepsTheCliContract } from "./cli.contract.ts";
import { stages } from "./stages.ts";

// With the token of a job: the same contract, at an endpoint that only the key proxy knows.
keepsTheCliContract({
  ...stages.copilot,
  secret: "COPILOT_REQUESTS_TOKEN",
  environment: (url) => ({
    COPILOT_API_URL: `${url}/v1`,
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "2000000",
  }),
});
