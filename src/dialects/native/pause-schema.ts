import { z } from "zod";

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
