import type { Usage } from "../../ports/agent.ts";
import type { Trouble } from "./fault.ts";

/** How a model's endpoint is spoken to: whose paths, headers and bodies. */
export type Wire = "anthropic" | "openai" | "gemini";

export interface LoanRequest {
  readonly wire: Wire;
  /** The endpoint's base URL, as its makers give it: for `openai` with `/v1`, for the others without. */
  readonly upstream: string;
  /** The header that carries the real key, its whole value (`Bearer …` included), and what people call the secret. */
  readonly key: { readonly header: string; readonly value: string; readonly secret?: string };
  /** Ends the loan. */
  readonly signal: AbortSignal;
}

/** A way to one endpoint for one answer of one agent, which never sees the real key. */
export interface Loan {
  /** For `openai` with `/v1`, for the others without. */
  readonly baseUrl: string;
  /** Stands in for the real key, at this relay only and until the loan ends. */
  readonly key: string;
  /** Tokens counted in what has passed so far, cached input included; `undefined` where no body said any. */
  usage(): Usage | undefined;
  /** What went wrong in the last exchange that ended; `undefined` if it went well. */
  fault(): Trouble | undefined;
  /** Calls `listener` whenever an exchange has failed, with how many have since the last that went well. */
  onTrouble(listener: (trouble: Trouble, inARow: number) => void): void;
  /** Calls `listener` whenever bytes pass, either way. */
  onBytes(listener: () => void): void;
  /** Cuts what is still under way and forgets the key; may be called twice. */
  end(): void;
}
