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
});

/** Updates the lease after an exchange, and notifies its listeners. */
export function note(account: LeaseState, fault: ProviderError | undefined): void {
  account.lastError = fault;
  account.failed = fault === undefined ? 0 : account.failed + 1;
  account.answered += fault === undefined ? 1 : 0;
  if (fault === undefined) for (const listener of account.answers) listener();
  else for (const listener of account.troubled) listener(fault, account.failed);
}
