import { createEmulator } from "emulate";
import { type GitServer, openGitServer } from "../git-server.ts";
import { type AppKeys, makeAppKeys } from "./app-keys.ts";
import { type Bare, openBare } from "./bare.ts";
import { type Check, checkOwners, checkRoutes, noteCheck } from "./checks.ts";
import { commentRoutes } from "./comments.ts";
import { contentRoutes } from "./contents.ts";
import { type Extras, extraRoutes, openExtras, type Role } from "./extras.ts";
import { type Faults, openFaults } from "./faults.ts";
import { graphRoutes } from "./graph.ts";
import { limits } from "./limits.ts";
import { manyRefRoutes } from "./many-refs.ts";
import { objectRoutes } from "./objects.ts";
import { openProxy, type Recorded } from "./proxy.ts";
import { corrected, mergeRoutes, openPulls, pullRoutes } from "./pulls.ts";
import { refRoutes } from "./refs.ts";
import { apiGuard, pushGuard } from "./rulesets.ts";
import { guardRoutes, openStanding, type Permissions, type Standing } from "./standing.ts";
import { openWebhooks, type Webhooks } from "./webhooks.ts";

export interface GitHubHostOptions {
  /** Users and their roles in the repository. The owner `octocat` always exists, as admin. */
  readonly users?: Readonly<Record<string, Role>>;
  /** The files of the first commit on `main`; default a README. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether a GitHub App is installed. */
  readonly app?: boolean;
  /** Serve only `/api/v3` and `/api/graphql`, like GitHub Enterprise Server. */
  readonly enterprise?: boolean;
  /** The `permissions` of the job's token; default: all. */
  readonly permissions?: Permissions;
  /** Whether reading needs a permission too. */
  readonly isPrivate?: boolean;
}

/** GitHub on loopback: an emulator of its API over a real git repository, with faults on demand. */
export interface GitHubHost
  extends Faults,
    Standing,
    Pick<
      Extras,
      | "roles"
      | "dispatches"
      | "onDispatch"
      | "runs"
      | "reactions"
      | "workflows"
      | "logs"
      | "threads"
      | "minimized"
      | "statuses"
      | "reviews"
      | "associations"
      | "rules"
    > {
  /** The value of `GITHUB_SERVER_URL`. */
  readonly origin: string;
  /** The value of `GITHUB_API_URL`; the same routes also exist without the prefix. */
  readonly url: string;
  /** The repository's git URL; accepts any token of this host as the password. */
  readonly cloneUrl: string;
  /** `octocat/hello`. */
  readonly repository: string;
  /** A job's `GITHUB_TOKEN`, which acts as `github-actions[bot]`. */
  readonly token: string;
  /** A personal access token of an existing user. */
  tokenOf(login: string): string;
  /**
   * The bare repository and its server: `git.git(…)` runs git in it, `git.fault` adds faults to git's own requests.
   */
  readonly git: GitServer;
  /** Every request to the API, in order. */
  readonly journal: readonly Recorded[];
  /** Keys and ids of the app, where there is one. */
  readonly app: AppKeys | undefined;
  readonly webhooks: Webhooks;
  /** The current state of every check run. */
  readonly checks: ReadonlyMap<number, Check>;
  /** Marks a pull request as coming from a fork. */
  markFork(pull: number, repository?: string): void;
  /** Requires branches to be up to date before merging from now on. */
  requireUpToDate(): void;
  /**
   * Calls the API as a user (`POST /issues`, relative to the repository) and returns the response; throws if it is
   * refused.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of all kinds
  as(login: string, request: string, body?: unknown): Promise<any>;
  close(): Promise<void>;
}

const repository = "octocat/hello";
const jobToken = "ghs_jobtoken0123456789abcdefghijklmnopqrstuv";
const jobLogin = "github-actions[bot]";

export async function openGitHubHost(options: GitHubHostOptions = {}): Promise<GitHubHost> {
  const roles: Readonly<Record<string, Role>> = { octocat: "admin", [jobLogin]: "write", ...options.users };
  const tokens = new Map(Object.keys(roles).map((login) => [tokenOf(login), login]));
  const git = await openGitServer();
  const bare = openBare(git.path);
  firstCommit(bare, options.files ?? { "README.md": "# hello\n" });
  const keys = options.app === true ? makeAppKeys() : undefined;
  const pulls = openPulls();
  const checks = new Map<number, Check>();
  const extras = openExtras(roles);
  const faults = openFaults();
  const standing = openStanding({ tokens, tokenOf });
  const webhooks = openWebhooks({
    secret: keys?.secret ?? "no-secret",
    correct: (it) => corrected(it, bare, pulls),
  });
  let receive = "";
  const proxy = await openProxy({
    git,
    faults,
    standing,
    tokens,
    routes: [
      guardRoutes({
        standing,
        bare,
        permissions: options.permissions,
        isPrivate: options.isPrivate === true,
        jobLogin,
        renamed: faults.renamed,
      }),
      limits,
      refRoutes(bare, apiGuard(git, extras.rules)),
      manyRefRoutes(bare, apiGuard(git, extras.rules)),
      objectRoutes(bare),
      checkOwners(checks),
      checkRoutes(bare, checks),
      contentRoutes(bare),
      commentRoutes(
        () => emulator.url,
        (it) => corrected(it, bare, pulls),
        extras.reactions,
      ),
      graphRoutes(bare, pulls, extras.roles),
      mergeRoutes(bare, pulls, () => emulator.url),
      pullRoutes(bare, pulls),
      extraRoutes(extras),
    ],
    correct: (it) => corrected(it, bare, pulls),
    beforePush: pushGuard(git, extras.rules),
    note: (ask, body) => noteCheck(checks, ask, body),
    onWebhook: webhooks.relay,
    repository,
    isEnterprise: options.enterprise === true,
    emulator: () => emulator.url,
  });
  receive = `${proxy.origin}/_webhooks`;
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: seedOf({ roles, tokens, keys, receive }),
  });
  const ask = asker(`${proxy.origin}/api/v3`);
  const rest: Omit<GitHubHost, keyof Extras | keyof Faults | keyof Standing> = {
    origin: proxy.origin,
    url: `${proxy.origin}/api/v3`,
    cloneUrl: `${proxy.origin}/${repository}.git`,
    repository,
    token: jobToken,
    tokenOf,
    git,
    journal: proxy.journal,
    app: keys,
    webhooks,
    checks,
    markFork: (pull: number, from = "stranger/hello") => void pulls.forks.set(pull, from),
    requireUpToDate: () => {
      pulls.requiresUpToDate = true;
    },
    as: (login, request, body) => ask({ token: tokenOf(login), request, body }),
    async close() {
      await Promise.all([proxy.close(), emulator.close(), git.close()]);
    },
  };
  return Object.assign(extras, faults, standing, rest);
}

const tokenOf = (login: string) => (login === jobLogin ? jobToken : `ghp_token-of-${login}-0123456789`);

function firstCommit(bare: Bare, files: Readonly<Record<string, string>>): void {
  const lines = Object.entries(files).map(([path, text]) => {
    const mode = path.endsWith(".sh") ? "100755" : "100644";
    return `${mode} ${bare.git(["hash-object", "-w", "--stdin"], text)}\t${path}\0`;
  });
  bare.git(["update-index", "-z", "--add", "--index-info"], lines.join(""), "index-first");
  const tree = bare.git(["write-tree"], "", "index-first");
  const commit = bare.git(["commit-tree", tree, "-m", "First"]);
  bare.git(["update-ref", "refs/heads/main", commit]);
}

interface Seed {
  readonly roles: Readonly<Record<string, Role>>;
  readonly tokens: ReadonlyMap<string, string>;
  readonly keys: AppKeys | undefined;
  readonly receive: string;
}

function seedOf({ roles, tokens, keys, receive }: Seed) {
  const app = keys && {
    app_id: keys.appId,
    slug: keys.slug,
    name: "until-green",
    private_key: keys.privateKey,
    permissions: {
      issues: "write",
      pull_requests: "write",
      checks: "write",
      actions: "write",
      contents: "write",
      metadata: "read",
    },
    events: ["issue_comment", "check_run", "pull_request", "workflow_run"],
    webhook_url: receive,
    webhook_secret: keys.secret,
    installations: [{ installation_id: keys.installation, account: "octocat", repository_selection: "all" }],
  };
  return {
    tokens: Object.fromEntries([...tokens].map(([token, login]) => [token, { login, scopes: ["repo"] }])),
    github: {
      users: Object.keys(roles).map((login) => ({ login })),
      repos: [{ owner: "octocat", name: "hello" }],
      ...(app ? { apps: [app] } : {}),
    },
  };
}

interface Asking {
  readonly token: string;
  readonly request: string;
  readonly body: unknown;
}

const asker =
  (url: string) =>
  async ({ token, request, body }: Asking) => {
    const [method = "GET", path = ""] = request.split(" ");
    const answer = await fetch(`${url}/repos/${repository}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${request}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
