import type { IncomingMessage } from "node:http";
import type { Usage } from "../ports/agent.ts";
import type { KeyLeaseRequest } from "./lease.ts";
import type { ProviderError } from "./provider-errors.ts";

/** The state of one lease. */
export interface LeaseState extends Omit<KeyLeaseRequest, "upstream"> {
  readonly upstream: URL;
  readonly stop: AbortController;
  readonly listeners: (() => void)[];
  readonly troubled: ((trouble: ProviderError, inARow: number) => void)[];
  usage: Usage | undefined;
  lastError: ProviderError | undefined;
  /** Failed exchanges since the last success, and the number of successes. */
  failed: number;
  answered: number;
  readonly answers: (() => void)[];
  isCutShort: boolean;
  /** Requests that have been sent on, until their answers end. */
  readonly open: Set<IncomingMessage>;
  silentHost: string | undefined;
}

/** The state of a new lease. */
export const createLease = (
  of: Omit<KeyLeaseRequest, "upstream"> & { readonly upstream: URL },
): LeaseState => ({
  ...of,
  stop: new AbortController(),
  listeners: [],
  troubled: [],
  usage: undefined,
  lastError: undefined,
  failed: 0,
  answered: 0,
  answers: [],
  isCutShort: false,
  open: new Set(),
  silentHost: undefined,
});

/** Ends the lease: aborts its exchanges. */
export function endLease(account: LeaseState): void {
  // The endpoint cannot answer a request of which the agent has not sent everything.
  const isAwaited = [...account.open].some(({ complete }) => complete);
  if (isAwaited) account.silentHost ??= account.upstream.host;
  account.stop.abort();
}

/** Updates the lease after an exchange, and notifies its listeners. */
export function note(account: LeaseState, fault: ProviderError | undefined): void {
  account.lastError = fault;
  account.failed = fault === undefined ? 0 : account.failed + 1;
  account.answered += fault === undefined ? 1 : 0;
  if (fault === undefined) for (const listener of account.answers) listener();
  else for (const listener of account.troubled) listener(fault, account.failed);
}
