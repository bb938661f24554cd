import type { Api, Repository } from "../../github/api.ts";
import type { Role } from "../../github/permission.ts";
import { BrokenLogError } from "../../ports/store.ts";
import { type LogHead, readHead } from "../git/commit-log.ts";
import { eventsIn, openState } from "../git/private-parts.ts";
import type { Space } from "../git/run-refs.ts";
import type { StateKey } from "../git/sign.ts";

/** The last commit of a run's chain: all that is read of it. */
export interface Tip {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
  readonly head: LogHead;
  /** Its file `state`, with the fields other parts of the program keep in it. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The same as stored, with its private parts encrypted. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** The lines it added; absent if not requested and the host would need another call for them. */
  readonly lines: readonly string[];
}

export interface RefLocation extends Repository {
  readonly api: Api;
  /** Signs and encrypts the state, if the chain is signed. */
  readonly key?: StateKey | undefined;
  /** What all readers know about the host: GraphQL is tried once. */
  readonly host?: RefHost | undefined;
}

export interface RefHost {
  hasGraph: boolean;
}

/** What to read besides a run's tip. */
export interface RelatedQuery {
  /** A pull request whose head and author are wanted. */
  readonly pull?: number | undefined;
  /** A file of the default branch whose text is wanted. */
  readonly file?: string | undefined;
  /** A user whose permission is wanted. */
  readonly login?: string | undefined;
  /** True if the tip's lines are wanted even at the cost of another call. */
  readonly lines?: boolean | undefined;
}

/** A run's tip and related facts. */
export interface RunLookup extends RelatedFacts {
  readonly tip: Tip | undefined;
}

/** The tips of all runs and related facts. */
export interface RunListing extends RelatedFacts {
  readonly tips: readonly Tip[];
}

/** Facts related to runs. */
export interface RelatedFacts {
  /** The head of the pull request. */
  readonly head: string | undefined;
  /** Who opened the pull request. */
  readonly author: string | undefined;
  /** The file's text, if the same call returned it; empty if there is none. */
  readonly text: string | undefined;
  /** The user's role, if the same call returned it. */
  readonly role: Role | undefined;
}

/** Which commit of which run. */
export interface Named {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
}

/** The parts read from a commit. */
export interface Read extends Named {
  readonly state: string | null | undefined;
  readonly events: string | null | undefined;
}

/** Builds a tip from what was read; throws `BrokenLogError` if it is not one of the run's. */
export function tipOf({ run, space, commit, state, events }: Read, key: StateKey | undefined): Tip {
  const head = readHead(Buffer.from(state ?? ""), key);
  if (head === undefined || head.run !== run)
    throw new BrokenLogError(
      `the record of run ${run} is damaged at commit ${commit}: it is not that of the run`,
    );
  const stored = JSON.parse(state ?? "{}");
  const lines = eventsIn(events ?? "", run, key)?.filter((line) => line !== "") ?? [];
  return { run, space, commit, head, lines, stored, state: openState(stored, key, "throw") };
}
