import { z } from "zod";

export const approvalFields = { message: z.string(), capture_response: z.boolean(), on_reject: z.unknown() };

export const onRejectFields = { prompt: z.string(), max_attempts: z.int().min(1).max(10) };

export const waitFields = {
  duration_ms: z.int().positive(),
  until: z.string(),
  event: z.string(),
  deadline_ms: z.int().positive(),
  attention: z.string(),
};
