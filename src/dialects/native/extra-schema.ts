import { z } from "zod";
import { json } from "../../ports/json.ts";

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

/** The other keys are Claude Code's: `model`, `tools`, `disallowedTools`, `skills`, `maxTurns`. */
const subagent = z.object({ description: z.string().min(1), prompt: z.string().min(1) }).catchall(json);

/** Archon's settings of a node besides its prompt; allowed on nodes only. */
export const extraFields = {
  hooks: z.record(z.string(), z.array(hook)),
  agents: z.record(z.string(), subagent),
  mcp: z.string().min(1),
  skills: z.array(z.string().min(1)),
};
