import type { Api, Repository } from "../../github/api.ts";
import type { Role } from "../../github/permission.ts";
import { BrokenLogError } from "../../ports/store.ts";
import { type LogHead, readHead } from "../git/commit-log.ts";
import { eventsIn, openState } from "../git/private-parts.ts";
import type { Space } from "../git/run-refs.ts";
import type { StateKey } from "../git/sign.ts";

/** The last commit of a run's chain; nothing else of the chain is read. */
export interface Tip {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
  readonly head: LogHead;
  /** Its file `state`, with the fields that other parts of the program keep there. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The same as stored, with the private parts encrypted. */
  readonly stored: Readonly<Record<string, unknown>>;
  /** The lines it added; empty if not requested and the host would need another call for them. */
  readonly lines: readonly string[];
}

export interface RefLocation extends Repository {
  readonly api: Api;
  /** Signs and encrypts the state, if the chain is signed. */
  readonly key?: StateKey | undefined;
  /** Knowledge about the host that all readers share: GraphQL is tried once. */
  readonly host?: RefHost | undefined;
}

export interface RefHost {
  hasGraph: boolean;
}

/** What to read in addition to a run's tip. */
export interface RelatedQuery {
  /** The pull request whose head and author are requested. */
  readonly pull?: number | undefined;
  /** The file of the default branch whose text is requested. */
  readonly file?: string | undefined;
  /** The user whose permission is requested. */
  readonly login?: string | undefined;
  /** True if the tip's lines are requested even if they need another call. */
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
  /** The file's text, if the same call returned it; empty if the file does not exist. */
  readonly text: string | undefined;
  /** The user's role, if the same call returned it. */
  readonly role: Role | undefined;
}

/** Identifies a commit of a run. */
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

/** Builds a tip from what was read; throws `BrokenLogError` if it does not belong to the run. */
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
