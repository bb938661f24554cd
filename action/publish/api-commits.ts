import type { GitHub } from "../../src/api/github.ts";
import { listCommits, type NewCommit, readBlob } from "../../src/api/publishing.ts";
import { endSignal } from "../../src/api/runs.ts";
import { RefusedError } from "../job/job.ts";
import { few } from "../job/workflow-commands.ts";

interface UploadedCommits {
  readonly gitDir: string;
  readonly tip: string;
  /** Commits that exist at GitHub. */
  readonly known: readonly string[];
}

/**
 * Creates the same commits through GitHub's API, which signs commits of apps and of a job's own token. Returns the
 * last one, with notices if GitHub did not sign them. No branch points to them yet.
 */
export async function commitByApi(
  built: UploadedCommits,
  github: GitHub,
): Promise<{ readonly tip: string; readonly notices: readonly string[] }> {
  const { gitDir, known } = built;
  const made = new Map<string, string>();
  const notices = new Set<string>();
  const commits = await listCommits({ gitDir, tip: built.tip, known, signal: endSignal });
  refuseNames(commits);
  for (const commit of commits) {
    const tree = await makeTree(commit, { gitDir, github });
    const { data } = await github.request("POST /repos/{owner}/{repo}/git/commits", {
      ...github.at,
      message: commit.message,
      tree,
      parents: commit.parents.map((parent) => made.get(parent) ?? parent),
    });
    made.set(commit.id, data.sha);
    const { verified, reason } = data.verification;
    if (!verified) notices.add(`GitHub did not sign the commit (${reason})`);
  }
  return { tip: made.get(built.tip) ?? built.tip, notices: [...notices] };
}

/** Throws before anything is sent: the API accepts only UTF-8 names. */
function refuseNames(commits: readonly NewCommit[]): void {
  const notUtf8 = new Set(
    commits.flatMap(({ changes }) => changes.map(({ path }) => path).filter((path) => !path.isWellFormed())),
  );
  if (notUtf8.size === 0) return;
  throw new RefusedError(
    `\`commit-mode: api\` cannot publish ${few([...notUtf8].map((path) => path.toWellFormed()))}: GitHub's API accepts only UTF-8 names, so nothing was published; rename it, or remove \`commit-mode\``,
  );
}

interface CommitTarget {
  readonly gitDir: string;
  readonly github: GitHub;
}

/** Creates a commit's tree from its changes; throws if GitHub's tree differs from ours. */
async function makeTree({ tree, baseTree, changes }: NewCommit, place: CommitTarget): Promise<string> {
  const { github } = place;
  if (changes.length === 0) return tree;
  const entries = [];
  for (const { path, after } of changes) {
    entries.push({ path, ...(await entryOf(after, { ...place, path })) });
  }
  const { data } = await github.request("POST /repos/{owner}/{repo}/git/trees", {
    ...github.at,
    base_tree: baseTree,
    tree: entries,
  });
  if (data.sha !== tree)
    throw new RefusedError(
      "the commit that GitHub made does not contain the files that the checks saw: nothing was published",
    );
  return tree;
}

const modes = ["100644", "100755", "120000", "160000"] as const;

async function entryOf(
  after: NewCommit["changes"][number]["after"],
  place: CommitTarget & { readonly path: string },
) {
  const mode = modes.find((one) => one === after.mode);
  // A deleted file.
  if (mode === undefined) return { mode: "100644", type: "blob", sha: null } as const;
  if (mode === "160000") return { mode, type: "commit", sha: after.object } as const;
  const bytes = await readBlob({ gitDir: place.gitDir, signal: endSignal }, after.object);
  const content = bytes.toString("utf8");
  const type = "blob";
  if (bytes.length <= mostInline && Buffer.from(content).equals(bytes))
    return { mode, type, content } as const;
  if (bytes.length > mostBytes)
    throw new RefusedError(
      `\`commit-mode: api\` cannot publish ${place.path}: it has ${Math.ceil(bytes.length / 2 ** 20)} MiB, and GitHub's API takes at most ${mostBytes / 2 ** 20} MiB; remove \`commit-mode\`, or the file`,
    );
  const { github } = place;
  const { data } = await github.request("POST /repos/{owner}/{repo}/git/blobs", {
    ...github.at,
    encoding: "base64",
    content: bytes.toString("base64"),
  });
  return { mode, type, sha: data.sha } as const;
}

/** Text files up to this size are sent inside the tree, because each write request counts against GitHub's limits. */
const mostInline = 256 * 1024;
const mostBytes = 40 * 2 ** 20;

/** GitHub's author for commits by a token, in the form of `Signed-off-by`. */
export async function signerOf(github: GitHub): Promise<string> {
  const login = await github.login();
  const { data } = await github.request("GET /users/{username}", { username: login });
  return `${login} <${data.id}+${login}@users.noreply.github.com>`;
}
