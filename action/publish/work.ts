import type { GitHub } from "../../src/api/github.ts";
import type { Remote } from "../../src/api/publishing.ts";
import { itemOf, type SeriesFacts, type Summary } from "../../src/api/runs.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { GitHubContext } from "../job/github-context.ts";
import type { Job, PublishedWork } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";
import type { PublishPlan } from "./publish-plan.ts";
import type { Templates } from "./pull-text.ts";

/** The work of a run in the private repository. */
export interface Work {
  readonly summary: Summary;
  readonly gitDir: string;
  /** The commit that the work started from. */
  readonly base: string;
  /** The workspace after each iteration, oldest first. */
  readonly iterations: readonly { readonly number: number; readonly snapshot: string }[];
  /** The final workspace. */
  readonly final: string;
  /**
   * Other runs that started from the same commit and are published together; their snapshots are also in `gitDir`.
   */
  readonly others?: readonly { readonly summary: Summary; readonly final: string }[];
  /** Missing work, one sentence each. */
  readonly missing?: readonly string[];
}

export interface PublishSetting {
  readonly inputs: Inputs;
  readonly site: GitHubContext;
  readonly github: GitHub;
  /** A client with the token for pushing, if it is another one. */
  readonly opener: GitHub | undefined;
  readonly job: Job;
  readonly plan: PublishPlan;
  readonly remote: Remote;
  /** Files restored before the run: their changes are not part of the work. */
  readonly restored: readonly string[];
  /** The user's templates for published texts. */
  readonly templates: Templates;
  /** Numbered notes of attempts for later ones. */
  readonly notes?: readonly string[];
  /** The series of the run, with what the run started from. */
  readonly series?: SeriesFacts | undefined;
}

export interface Published extends PublishedWork {
  /** Notices about it, one sentence each. */
  readonly notices: readonly string[];
  /**
   * True if it was only stored at the host, because the published work is better; the other fields then describe the
   * published work.
   */
  readonly aside?: true;
  /** The other runs whose work conflicts with the first. */
  readonly unfit: readonly Unfit[];
}

export interface Unfit {
  readonly run: string;
  readonly conflicts: readonly string[];
  /** The runs it conflicts with; empty if it conflicts with other people's commits on the branch. */
  readonly with: readonly string[];
}

/** Why a run's work is not in the publication, as the end of a sentence. */
export const whyUnfit = ({ conflicts, with: others }: Unfit): string =>
  others.length === 0
    ? `conflicts with earlier work in ${few(conflicts)}`
    : `conflicts with ${few(others.map(nameOfRun))} in ${few(conflicts)}`;

/** The name of a run: an item by its number, another run by its id. */
export function nameOfRun(run: string): string {
  const item = itemOf(run);
  return item === undefined ? `run ${run}` : `item ${item.number} (run ${run})`;
}
