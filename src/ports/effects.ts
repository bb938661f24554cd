import { z } from "zod";
import { type AgentAnswer, type AgentRequest, agentAnswer } from "./agent.ts";
import { type BudgetAnswer, type BudgetRequest, budgetAnswer } from "./budget.ts";
import { type FileAnswer, type FileRequest, fileAnswer } from "./file.ts";
import type { ScriptRequest } from "./script.ts";
import { type ShellAnswer, type ShellRequest, shellAnswer } from "./shell.ts";
import { type WorkspaceAnswer, type WorkspaceRequest, workspaceAnswer } from "./workspace.ts";

/** A question for a person. No adapter answers it: a recorded decision does. */
interface HumanRequest {
  /** The node whose gate it is. */
  readonly node: string;
  /** The gate's full text, as people read it. */
  readonly message: string;
  /** The same without the check's result and the commands, for pages that show those separately. */
  readonly question: string;
}

const humanAnswer = z.strictObject({
  decision: z.enum(["approve", "reject"]),
  by: z.string(),
  /** The comment with the decision; empty if there was none. */
  text: z.string(),
  /** How long it was waited for. */
  waitedMs: z.number().exactOptional(),
});

type HumanAnswer = z.infer<typeof humanAnswer>;

/** A delay the run asked for, in milliseconds. */
interface TimerRequest {
  readonly ms: number;
}

const timerAnswer = z.strictObject({ waited: z.number() });

type TimerAnswer = z.infer<typeof timerAnswer>;

/** Every effect the engine may request, with its answer. */
export interface Effects {
  readonly agent: { readonly ask: AgentRequest; readonly answer: AgentAnswer };
  readonly shell: { readonly ask: ShellRequest; readonly answer: ShellAnswer };
  readonly script: { readonly ask: ScriptRequest; readonly answer: ShellAnswer };
  readonly human: { readonly ask: HumanRequest; readonly answer: HumanAnswer };
  readonly budget: { readonly ask: BudgetRequest; readonly answer: BudgetAnswer };
  readonly timer: { readonly ask: TimerRequest; readonly answer: TimerAnswer };
  readonly file: { readonly ask: FileRequest; readonly answer: FileAnswer };
  readonly workspace: { readonly ask: WorkspaceRequest; readonly answer: WorkspaceAnswer };
}

export type Port = keyof Effects;
export type Answer<P extends Port = Port> = Effects[P]["answer"];
export type Ask<P extends Port = Port> = Effects[P]["ask"];

/** Schemas for the answers of each port, for reading them from a log. */
export const answers = {
  agent: agentAnswer,
  shell: shellAnswer,
  script: shellAnswer,
  human: humanAnswer,
  budget: budgetAnswer,
  timer: timerAnswer,
  file: fileAnswer,
  workspace: workspaceAnswer,
} as const satisfies { readonly [P in Port]: z.ZodType<Answer<P>> };
