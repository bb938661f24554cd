import { type RunCommandName, runCommand } from "../decisions/commands/table.ts";
import { namesRun, type RunCommand } from "../decisions/parse-comment.ts";
import { conversationOf } from "../engine/log-events.ts";
import { itemOf } from "../ports/item.ts";
import { nearestWord } from "../ports/nearest-word.ts";
import { shortRunId } from "../ports/short-run-id.ts";
import type { RunStatus } from "../status/run-status.ts";
import { parseRunStatus } from "../status/run-status-schema.ts";
import type { Tip } from "../stores/rest/tip.ts";
import { isDecider } from "./apply-decision.ts";
import { namesAnother } from "./names-another.ts";
import type { IncomingComment, RepositoryContext } from "./repository-context.ts";
import { runsFor } from "./runs-for-command.ts";
import { runsShownIn, whyShownRunIsGone } from "./shown-runs.ts";

/** The run that a command is for, and the command. */
export interface Found {
  readonly run: string;
  readonly tip: Tip;
  readonly status: RunStatus;
  /** The head of the pull request. */
  readonly head: string | undefined;
  /** Without the run's id. */
  readonly text: string;
}

type Unfound =
  | { readonly refused: string; readonly items?: readonly KnownRun[] }
  /** The comment has already decided. */
  | { readonly repeated: Tip };

/** Finds the run that a command on a pull request is for; returns the reason if that is unclear. */
export async function findRun(
  site: RepositoryContext,
  command: RunCommand,
  { id, pull, by }: Pick<IncomingComment, "id" | "pull" | "by">,
): Promise<Found | Unfound> {
  let listing: ReturnType<RepositoryContext["survey"]> | undefined;
  const survey = () => {
    listing ??= site.survey({ pull, by });
    return listing;
  };
  const { word: runId, kind } = command;
  const named = runId === undefined ? undefined : await findNamed(site, runId, { command, pull, by, survey });
  if (named !== undefined) return named;
  const runs = await runsOf(site, { pull, by, all: await survey() });
  const short = runs.find(({ tip }) => shortRunId(tip.run) === runId);
  if (short !== undefined && runId !== undefined)
    return (await namesAnother(site, command, short.tip.run))
      ? { refused: `several runs end in \`${runId}\`: give the whole id` }
      : await withHead(site, short, { pull, by, text: command.rest });
  if (runId !== undefined && (namesRun(command) || nearestWord(runId, idsOf(runs)) !== undefined))
    return { refused: await whyMissing(site, { kind, runId, runs, pull }) };
  // Another process of the app received the same comment and was first.
  const done = runs.find(({ status }) => isDecider(status, String(id)));
  if (done !== undefined) return { repeated: done.tip };
  return await findWaiting(site, command, { runs, pull, by });
}

interface Naming extends RunQuery {
  readonly command: RunCommand;
  survey(): Promise<All>;
}

/** The run with a word as its id, if there is one. */
async function findNamed(site: RepositoryContext, id: string, { command, pull, by, survey }: Naming) {
  // A first word without a hyphen is more often feedback than an id; only the list of all runs can tell.
  const all = id.includes("-") ? undefined : await survey();
  const { tip, head } = all === undefined ? await site.look(id, { pull, by }) : tipIn(all, id);
  if (tip !== undefined) return belonging(site, { tip, head, pull, text: command.rest });
  const items = await itemsOf(site, id, { pull, by, all: await survey() });
  return items.length === 0
    ? undefined
    : { refused: `say which item of \`${id}\`: ${items.map(nameOf).join(", ")}`, items };
}

interface Waiting extends RunQuery {
  readonly runs: readonly KnownRun[];
}

/** The only run of a pull request that a command can apply to. */
async function findWaiting(
  site: RepositoryContext,
  { kind, text }: RunCommand,
  { runs, pull, by }: Waiting,
): Promise<Found | Unfound> {
  const waiting = runsFor(kind, runs);
  const [only, ...others] = waiting;
  if (only === undefined) {
    const gone = runs.length > 0 ? undefined : await whyShownRunIsGone(site, pull);
    return { refused: gone ?? noneFor(kind, runs, pull) };
  }
  if (others.length > 0) return { refused: `several runs fit, name one: ${waiting.map(nameOf).join(", ")}` };
  return withHead(site, only, { pull, by, text });
}

/** A run of the list, with the head of the pull request. */
async function withHead(
  site: RepositoryContext,
  known: KnownRun,
  { pull, by, text }: RunQuery & { readonly text: string },
): Promise<Found | Unfound> {
  const { run } = known.tip;
  if (known.head !== undefined) return { ...known, run, text };
  const { tip, head } = await site.look(run, { pull, by });
  if (tip === undefined) return { refused: `the record of run \`${run}\` is gone` };
  return belonging(site, { tip, head, pull, text });
}

export interface KnownRun {
  readonly tip: Tip;
  readonly status: RunStatus;
  /** The head of the pull request, if the payload has it. */
  readonly head: string | undefined;
}

/** A pull request, and the person who asks about it. */
interface RunQuery {
  readonly pull: number;
  readonly by?: string | undefined;
}

/** All runs, if the host lists them in one answer. */
type All = Awaited<ReturnType<RepositoryContext["survey"]>>;

const tipIn = ({ tips, head }: NonNullable<All>, run: string) => ({
  tip: tips.find((tip) => tip.run === run),
  head,
});

/** The runs of a pull request: from the list of all runs if available, else those named in our comments. */
export async function runsOf(
  site: RepositoryContext,
  { all, ...asked }: RunQuery & { readonly all: All },
): Promise<readonly KnownRun[]> {
  const runs =
    all === undefined ? await runsNamed(site, asked) : all.tips.flatMap((tip) => known(tip, all.head));
  const here = await runsHere(site, runs, asked.pull);
  // A run without a pull request can be commanded on any pull request that has no run of its own.
  const own = here.filter(({ status }) => conversationOf(status.origin) === asked.pull);
  return own.length > 0 ? own : here;
}

async function runsNamed(site: RepositoryContext, query: RunQuery): Promise<readonly KnownRun[]> {
  const lines = await runsShownIn(site, query.pull);
  return await readRuns(site, lines.length > 0 ? lines : (await site.runs.list()).slice(-mostRuns), query);
}

/** The items of a run spread over jobs: only they have records. */
async function itemsOf(
  site: RepositoryContext,
  run: string,
  { all, ...asked }: RunQuery & { readonly all: All },
): Promise<readonly KnownRun[]> {
  const isItem = (id: string) => itemOf(id)?.of === run;
  const runs =
    all === undefined
      ? await readRuns(site, (await site.runs.list()).filter(isItem), asked)
      : all.tips.filter((tip) => isItem(tip.run)).flatMap((tip) => known(tip, all.head));
  return (await runsHere(site, runs, asked.pull)).toSorted((a, b) => numberOf(a) - numberOf(b));
}

const numberOf = ({ tip }: KnownRun) => itemOf(tip.run)?.number ?? 0;
const nameOf = ({ tip }: KnownRun) => `\`${tip.run}\``;

async function readRuns(
  site: RepositoryContext,
  ids: readonly string[],
  { pull, by }: RunQuery,
): Promise<readonly KnownRun[]> {
  const runs = await Promise.all(
    ids.slice(-mostRuns).map(async (id, at, { length }) => {
      // Values that all of them share are requested once, with the newest.
      const filter = at === length - 1 ? { pull, by } : {};
      const run = await site.look(id, filter).catch(() => undefined);
      return run?.tip === undefined ? [] : known(run.tip, run.head);
    }),
  );
  return runs.flat();
}

function known(tip: Tip, head: string | undefined): readonly KnownRun[] {
  const status = parseRunStatus(tip.state["status"]);
  return status === undefined ? [] : [{ tip, status, head }];
}

async function runsHere(site: RepositoryContext, runs: readonly KnownRun[], pull: number) {
  const areHere = await Promise.all(runs.map(({ status }) => isHere(site, status, pull)));
  return runs.filter((_, at) => areHere[at]);
}

/** Maximum number of runs to look up. */
const mostRuns = 50;

async function belonging(
  site: RepositoryContext,
  failure: Omit<Found, "run" | "status"> & { readonly pull: number },
) {
  const { tip, pull } = failure;
  const status = parseRunStatus(tip.state["status"]);
  if (status === undefined) return { refused: `the record of run \`${tip.run}\` has no status` };
  if (await isHere(site, status, pull)) return { ...failure, run: tip.run, status };
  const other = conversationOf(status.origin);
  return {
    refused: `run \`${tip.run}\` belongs to ${other === undefined ? "another repository" : `#${other}`}`,
  };
}

const isHere = async (site: RepositoryContext, status: RunStatus, pull: number) =>
  (conversationOf(status.origin) ?? pull) === pull && (await belongsHere(site, status));

/**
 * True if a run belongs to this repository, which may have been renamed since: its record may have been copied from
 * another one.
 */
export const belongsHere = async (site: RepositoryContext, { origin }: RunStatus) =>
  origin === undefined || (await site.isCalled(origin.repository));

interface Missing extends RunQuery {
  readonly kind: RunCommandName;
  readonly runId: string;
  readonly runs: readonly KnownRun[];
}

/** Why there is no such run, with the commands for the runs that the person may mean instead. */
async function whyMissing(site: RepositoryContext, { kind, runId, runs, pull }: Missing): Promise<string> {
  const why =
    (await whyShownRunIsGone(site, pull, runId)) ??
    `there is no run \`${runId}\` here; ${listOf(runs, pull)}`;
  const others = runCommand(kind).group === "answer" ? runsFor(kind, runs) : [];
  const commands = others.slice(0, 10).map(({ tip }) => `\`/workflow ${kind} ${shortRunId(tip.run)}\``);
  return commands.length === 0
    ? why
    : `${why}. If you mean that run, use ${commands.join(" or ")}, then your text`;
}

const idsOf = (runs: readonly KnownRun[]) => runs.map(({ tip }) => tip.run);

const noneFor = (kind: RunCommandName, runs: readonly KnownRun[], pull: number): string =>
  `${runCommand(kind).appliesTo.none}; ${listOf(runs, pull)}`;

const listOf = (runs: readonly KnownRun[], pull: number) =>
  runs.length === 0
    ? `#${pull} has no run`
    : `its runs: ${runs.map(({ tip, status }) => `\`${tip.run}\` (${status.summary.state})`).join(", ")}`;
