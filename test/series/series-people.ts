/** What is on the branch of a goal. */
export interface Branch {
  readonly failing: number;
  readonly lines: number;
  readonly commit: string;
  readonly base: number;
  /** Commits of people. */
  readonly theirs: number;
}

/** A repository as a goal sees it. */
export interface Repository {
  base: number;
  /** Names the text of the workflow. */
  file: string;
  /** Tests that fail on the base. */
  failing: number;
  branch: Branch | undefined;
  pull: { number: number; mergeable: boolean } | undefined;
  /** The last pull request, if people closed it. */
  closed: number | undefined;
  /** Pull requests opened so far. */
  pulls: number;
  /** Open pull requests of other goals. */
  others: number;
  /** What reviewers ask for. */
  asks: string[];
  /** What of it has been worked on. */
  readonly answered: Set<string>;
  /** Tests that failed before the last merge. */
  merged: number | undefined;
}

export const openRepository = (failing: number): Repository => ({
  base: 0,
  file: "file-0",
  failing,
  branch: undefined,
  pull: undefined,
  closed: undefined,
  pulls: 0,
  others: 0,
  asks: [],
  answered: new Set(),
  merged: undefined,
});

const gone = { pull: undefined, branch: undefined, asks: [] };

type Deed = (repository: Repository, random: () => number) => unknown;

/** What people do, and how likely in a day; that of the second list only while a pull request is open. */
const always: readonly (readonly [number, Deed])[] = [
  [0.3, (it) => Object.assign(it, { base: it.base + 1 })],
  [0.05, (it) => Object.assign(it, { failing: it.failing + 1 })],
  [0.03, (it) => Object.assign(it, { file: `file-${it.base}` })],
  [0.2, (it, random) => Object.assign(it, { others: Math.max(0, it.others + (random() < 0.5 ? 1 : -1)) })],
  [
    0.05,
    (it) => {
      // The merge is reverted.
      if (it.merged === undefined) return;
      Object.assign(it, { failing: it.failing + it.merged, merged: undefined, base: it.base + 1 });
    },
  ],
  // The branch is deleted, which closes its pull request.
  [0.03, (it) => (it.branch === undefined ? it : Object.assign(it, { closed: it.pull?.number, ...gone }))],
];
const whileOpen: readonly (readonly [number, Deed])[] = [
  [
    0.15,
    (it) => {
      if (it.branch?.failing !== 0 || it.pull?.mergeable !== true) return;
      Object.assign(it, { merged: it.failing, failing: 0, base: it.base + 1, closed: undefined, ...gone });
    },
  ],
  [0.05, (it) => Object.assign(it, { closed: it.pull?.number, pull: undefined, asks: [] })],
  [0.1, (it) => Object.assign(it.pull ?? {}, { mergeable: false })],
  // Somebody pushes to the branch, and may break it.
  [
    0.07,
    (it, random) => {
      const { branch } = it;
      if (branch === undefined) return;
      const failing = random() < 0.2 ? branch.failing + 1 : branch.failing;
      it.branch = { ...branch, failing, commit: `${branch.commit}+`, theirs: branch.theirs + 1 };
    },
  ],
  [0.1, (it, random) => it.asks.push(`T${Math.floor(random() * 1e6)}`)],
  // What was asked for is resolved, whether it was worked on or not.
  [0.2, (it) => it.asks.splice(0)],
];

/** What people and time do to a repository between two nights. */
export function daytime(repository: Repository, random: () => number): void {
  for (const [likely, deed] of always) if (random() < likely) deed(repository, random);
  for (const [likely, deed] of whileOpen)
    if (repository.pull !== undefined && repository.branch !== undefined && random() < likely)
      deed(repository, random);
}
