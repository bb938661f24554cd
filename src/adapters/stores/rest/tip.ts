import { BrokenLogError } from "../../../ports/store.ts";
import type { Api, Repository } from "../../github/api.ts";
import type { Role } from "../../github/permission.ts";
import { type Head, readHead } from "../git/chain.ts";
import type { Space } from "../git/record.ts";

/** The last commit of a run's chain: all that is read of it. */
export interface Tip {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
  readonly head: Head;
  /** Its file `state`, with what other parts of the program keep in it. */
  readonly state: Readonly<Record<string, unknown>>;
  /** The lines it added; none where they were not asked for and the host told of them only for a call more. */
  readonly lines: readonly string[];
}

export interface Place extends Repository {
  readonly api: Api;
  /** What is known of the host by all who ask it: one that has no GraphQL is asked for it once. */
  readonly host?: Host | undefined;
}

export interface Host {
  hasGraph: boolean;
}

/** What is asked for at once, besides a run's tip. */
export interface Beside {
  /** A pull request of which is wanted where it stands, and who opened it. */
  readonly pull?: number | undefined;
  /** A file of the default branch whose text is wanted. */
  readonly file?: string | undefined;
  /** Somebody of whom is wanted what they may do in the repository. */
  readonly login?: string | undefined;
  /** Whether the lines that the tip added are wanted, also where they cost a call more. */
  readonly lines?: boolean | undefined;
}

/** A run's tip, and what lies beside it. */
export interface Look extends Around {
  readonly tip: Tip | undefined;
}

/** The tips of all runs, and what lies beside them. */
export interface Survey extends Around {
  readonly tips: readonly Tip[];
}

/** What lies beside runs. */
export interface Around {
  /** The head of the pull request. */
  readonly head: string | undefined;
  /** Who opened the pull request. */
  readonly author: string | undefined;
  /** The file, where the host told of it in the same breath; empty where there is none. */
  readonly text: string | undefined;
  /** What that person may do, where the host told of it in the same breath. */
  readonly role: Role | undefined;
}

/** Which commit of which run. */
export interface Named {
  readonly run: string;
  readonly space: Space;
  readonly commit: string;
}

/** What was read of a commit. */
export interface Read extends Named {
  readonly state: string | null | undefined;
  readonly events: string | null | undefined;
}

/** A tip of what was read of it; throws `BrokenLogError` for one that is none of the run's. */
export function tipOf({ run, space, commit, state, events }: Read): Tip {
  const head = readHead(Buffer.from(state ?? ""));
  if (head === undefined || head.run !== run)
    throw new BrokenLogError(
      `the record of run ${run} is damaged at commit ${commit}: it is not that of the run`,
    );
  const lines = (events ?? "").split("\n").filter((line) => line !== "");
  return { run, space, commit, head, lines, state: JSON.parse(state ?? "{}") };
}
