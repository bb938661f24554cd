import { z } from "zod";
import { attemptRules } from "../../plan/attempts.ts";
import { json } from "../../ports/json.ts";
import { didYouMean } from "../value-remedy.ts";

const limits = {
  usd: z.number().positive(),
  tokens: z.int().positive(),
  minutes: z.number().positive(),
};

const amounts = z.strictObject({
  usd: limits.usd.exactOptional(),
  tokens: limits.tokens.exactOptional(),
  minutes: limits.minutes.exactOptional(),
});

export const budgetFields = {
  ...limits,
  max_spend_usd: z.number().positive(),
  warn_at: z.union([amounts.transform((one) => [one]), z.array(amounts)]),
  day_usd: z.number().positive(),
  day_tokens: z.int().positive(),
  per_pull_request_usd: z.number().positive(),
  per_person_usd: z.number().positive(),
};

/** Exactly one of `response` and `command`. */
const hook = z
  .strictObject({
    matcher: z.string().exactOptional(),
    response: z.record(z.string(), json).exactOptional(),
    command: z.string().min(1).exactOptional(),
    timeout: z.number().positive().exactOptional(),
  })
  .refine(({ response, command }) => (response === undefined) !== (command === undefined), {
    error: "needs either a `response` or a `command`",
  });

/** Claude Code's events. One that it does not know never fires, so a hook against a tool would protect nothing. */
const hookEvents = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Notification",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
  "PreSkillShellCommand",
] as const;

function eventHint(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  return didYouMean(String(issue.keys[0]), hookEvents) ?? `One of ${hookEvents.join(", ")}.`;
}

/** The other keys are Claude Code's: `model`, `tools`, `disallowedTools`, `skills`, `maxTurns`. */
const subagent = z.object({ description: z.string().min(1), prompt: z.string().min(1) }).catchall(json);

/** Archon's settings of a node besides its prompt; allowed on nodes only. */
export const extraFields = {
  hooks: z.partialRecord(z.enum(hookEvents), z.array(hook), { error: eventHint }),
  agents: z.record(z.string(), subagent),
  mcp: z.string().min(1),
  skills: z.array(z.string().min(1)),
};

const decision = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: "must be lowercase letters, digits and single hyphens" }),
  label: z.string().exactOptional(),
});

export const approvalFields = {
  message: z.string(),
  capture_response: z.boolean(),
  decisions: z.array(decision).min(1),
  on_reject: z.unknown(),
};

export const onRejectFields = { prompt: z.string(), max_attempts: z.int().min(1).max(10) };

export const waitFields = {
  duration_ms: z.int().positive(),
  until: z.string(),
  event: z.string(),
  deadline_ms: z.int().positive(),
  attention: z.string(),
};

export const retryFields = {
  max_attempts: z.int().min(1).max(5),
  delay_ms: z.int().min(1000).max(60_000),
  on_error: z.enum(["transient", "all"]),
};

const several = z.int().min(2).max(20);
const names = z.array(z.string());
const fields = {
  count: several,
  agents: names,
  models: names,
  first_green: z.boolean(),
  pick: z.array(z.enum(["green", ...attemptRules])),
};

/** How many attempts are made at a loop, and by which agents. */
export const attemptsField = z.union([several, z.strictObject(fields).partial()]);

/** The agent that takes over when a loop makes no progress. */
export const escalateField = z
  .strictObject({ after: z.int().min(1).max(1000), agent: z.string(), model: z.string() })
  .partial();
