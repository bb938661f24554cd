import type { GitHub } from "../../src/api/github.ts";
import type { Remote } from "../../src/api/publishing.ts";
import { itemOf, type SeriesFacts, type Summary } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import type { Job, PublishedWork } from "../job/job.ts";
import type { PublishPlan } from "./publish-plan.ts";
import type { Templates } from "./pull-text.ts";

/** The work of a run, as the private repository has it. */
export interface Work {
  readonly summary: Summary;
  readonly gitDir: string;
  /** The commit the work began from. */
  readonly base: string;
  /** The workspace after each iteration, oldest first. */
  readonly iterations: readonly { readonly number: number; readonly snapshot: string }[];
  /** The workspace in the end. */
  readonly final: string;
  /** Other runs that began from the same commit, whose work is published with it; their snapshots are in `gitDir` too. */
  readonly beside?: readonly { readonly summary: Summary; readonly final: string }[];
  /** Missing work, one sentence each. */
  readonly missing?: readonly string[];
}

export interface PublishSetting {
  readonly inputs: Inputs;
  readonly site: GitHubContext;
  readonly github: GitHub;
  /** A client with the token that pushes, if that is another one. */
  readonly opener: GitHub | undefined;
  readonly job: Job;
  readonly plan: PublishPlan;
  readonly remote: Remote;
  /** Files restored before the run: their difference is not part of the work. */
  readonly restored: readonly string[];
  /** The user's templates for what is published. */
  readonly templates?: Templates;
  /** Notes of attempts for later ones, with their numbers. */
  readonly notes?: readonly string[];
  /** The series that the run belongs to, with what it began from. */
  readonly series?: SeriesFacts | undefined;
}

export interface Published extends PublishedWork {
  /** Notices about it, one sentence each. */
  readonly remarks: readonly string[];
  /**
   * Whether it was only stored at the host, because the published work is better; the other fields then describe that.
   */
  readonly aside?: true;
  /** The runs beside the first whose work does not fit on what is there. */
  readonly unfit: readonly Unfit[];
}

export interface Unfit {
  readonly run: string;
  readonly conflicts: readonly string[];
  /** The runs it conflicts with; none if it is what others have on the branch. */
  readonly with: readonly string[];
}

/** Why a run's work is not in the publication, as the end of a sentence. */
export const whyUnfit = ({ conflicts, with: others }: Unfit): string =>
  others.length === 0
    ? `conflicts with what is already there, in ${few(conflicts)}`
    : `conflicts with ${few(others.map(nameOfRun))} in ${few(conflicts)}`;

/** An item by its number, another run by its id. */
export function nameOfRun(run: string): string {
  const item = itemOf(run);
  return item === undefined ? `run ${run}` : `item ${item.number} (run ${run})`;
}

/** A list of paths as a message shows it. */
export const few = (paths: readonly string[]) =>
  paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");
