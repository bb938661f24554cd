import type { Spending, Usage } from "../ports/agent.ts";
import type { ProviderError } from "./provider-errors.ts";

/** A provider's wire protocol: its paths, headers and bodies. */
export type ProviderProtocol = "anthropic" | "openai" | "gemini";

export interface KeyLeaseRequest {
  readonly wire: ProviderProtocol;
  /** The endpoint's base URL, as its provider documents it: with `/v1` for `openai`, without it for the others. */
  readonly upstream: string;
  /**
   * The header for the real key, its whole value (including `Bearer …`), the name of the secret, and headers that the
   * endpoint wants besides it.
   */
  readonly key: {
    readonly header: string;
    readonly value: string;
    readonly secret?: string;
    readonly besides?: Readonly<Record<string, string>>;
  };
  /** Ends the lease. */
  readonly signal: AbortSignal;
  /** Asked before each request; without it, every request is admitted. */
  readonly spending?: Spending | undefined;
  /** The price of a request in US dollars, from its usage; `undefined` if unknown. */
  price?(model: string | undefined, used: Usage): number | undefined;
  /** How long the endpoint may be silent before a request counts as lost, in milliseconds; default: five minutes. */
  readonly silenceMs?: number | undefined;
}

/** Access to one endpoint for one call of one agent, which never sees the real key. */
export interface KeyLease {
  /** With `/v1` for `openai`, without it for the others. */
  readonly baseUrl: string;
  /** Replaces the real key; valid only at this proxy and until the lease ends. */
  readonly key: string;
  /** Tokens counted so far, including cached input; `undefined` if no answer reported any. */
  usage(): Usage | undefined;
  /** The error of the last exchange; `undefined` if it succeeded. */
  fault(): ProviderError | undefined;
  /** Number of successful requests. */
  answered(): number;
  /** Calls `listener` after each successful request. */
  onAnswered(listener: () => void): void;
  /** True if the last answer was cut at its length limit. */
  isCutShort(): boolean;
  /** Calls `listener` after each failed exchange, with the number of failures since the last success. */
  onTrouble(listener: (trouble: ProviderError, inARow: number) => void): void;
  /** Calls `listener` whenever bytes pass, in either direction. */
  onBytes(listener: () => void): void;
  /** The host that had not completed its answer to a request when the lease ended; `undefined` if none had. */
  silentHost(): string | undefined;
  /** Aborts exchanges in flight and forgets the key; may be called twice. */
  end(): void;
}
