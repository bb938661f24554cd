import { Octokit } from "octokit";
import { repeatOptions, requestRules } from "./request-rules.ts";

/** One repository on a GitHub host, accessed with one token. */
export interface GitHub extends Pick<Octokit, "graphql" | "paginate" | "request"> {
  /** The repository's parameters for every route: `{ ...github.at, issue_number }`. */
  readonly at: { readonly owner: string; readonly repo: string };
  /** The login of the token's user; `github-actions[bot]` for a job's token. */
  login(): Promise<string>;
}

export interface GitHubOptions {
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Like `GITHUB_API_URL`, with or without `/api/v3`; default: github.com. */
  readonly apiUrl?: string | undefined;
  /** Time limit of one attempt, in milliseconds; default 15 seconds. */
  readonly timeoutMs?: number;
  /**
   * Time limit of one request over all attempts, in milliseconds; default one minute. A rate limit may take five
   * minutes.
   */
  readonly patienceMs?: number;
  /** The length of one second of waiting, in milliseconds; shorter in tests. */
  readonly secondMs?: number;
  /** Aborts all requests in flight, and refuses new ones. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the Octokit; default: our own. The action's goes through its runner's proxy. */
  readonly makeOctokit?: MakeOctokit | undefined;
}

export type OctokitOptions = ConstructorParameters<typeof Octokit>[0] & {};
export type OctokitPlugin = (typeof Octokit.plugins)[number];
export type MakeOctokit = (
  options: OctokitOptions & { readonly auth: string },
  plugins: readonly OctokitPlugin[],
) => Pick<Octokit, "graphql" | "hook" | "paginate" | "request">;

/** GitHub did not carry out a request. Names the request, never the token. */
export class GitHubError extends Error {
  override readonly name = "GitHubError";
  /** 0 if there was no response: the request may still have been carried out. */
  readonly status: number;
  /** The job permissions that would allow it, as GitHub names them: `issues: write`. */
  readonly wants: readonly string[];

  constructor(message: string, { status, wants = [] }: { status: number; wants?: readonly string[] }) {
    super(message);
    this.status = status;
    this.wants = wants;
  }
}

/** Opens a repository for requests; sends none yet. Requests reject with `GitHubError` only. */
export function openGitHub(options: GitHubOptions): GitHub {
  const { token, repository, apiUrl, signal, makeOctokit = makeOwn } = options;
  const { timeoutMs = 15_000, patienceMs = 60_000, secondMs = 1_000 } = options;
  const [owner = "", repo = ""] = repository.split("/");
  const rules = { timeoutMs, patienceMs, secondMs, signal };
  const octokit = makeOctokit(
    {
      auth: token,
      userAgent: "until-green",
      baseUrl: (apiUrl ?? "https://api.github.com").replace(/\/+$/, ""),
      log: { debug: silent, info: silent, warn: silent, error: silent },
      ...repeatOptions(rules),
    },
    [requestRules(rules) as OctokitPlugin, ...Octokit.plugins],
  );
  octokit.hook.wrap("request", async (send, asked) => {
    try {
      return await orAborted(Promise.resolve(send(asked)), signal);
    } catch (error) {
      throw refusal(failureOf(error), `${asked.method} ${filled(asked.url, asked as RequestFields)}`);
    }
  });
  let login: Promise<string> | undefined;
  const { graphql, paginate, request } = octokit;
  return { at: { owner, repo }, graphql, paginate, request, login: () => (login ??= readLogin(octokit)) };
}

/** Octokit with these plugins before its own, so that our hooks wrap theirs. */
export const ownOctokit = (plugins: readonly OctokitPlugin[]) =>
  class OwnOctokit extends Octokit {
    static override plugins = [...new Set([...plugins, ...Octokit.plugins])];
  };

const makeOwn: MakeOctokit = (options, plugins) => new (ownOctokit(plugins))(options);

const silent = () => undefined;

/** Stops waiting and retrying once a job is cancelled. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error("the job was cancelled"));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    work.catch(() => undefined);
  }
}

/** The only query that tokens of jobs, apps and people can all send. */
async function readLogin({ graphql }: Pick<Octokit, "graphql">): Promise<string> {
  try {
    const { viewer } = await graphql<{ readonly viewer: { readonly login: string } }>("{ viewer { login } }");
    return viewer.login;
  } catch {
    return jobLogin;
  }
}

/** The author of comments by jobs, unless they use another token. */
export const jobLogin = "github-actions[bot]";

type RequestFields = Readonly<Record<string, unknown>>;

/** The error of a request that failed. */
interface Failure {
  /** 0 if there was no response. */
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The parts of an error that may be shown: Octokit's own contains the request with the token. */
function failureOf(error: unknown): Failure {
  const { status, message, response, cause } = error as {
    readonly status?: unknown;
    readonly message?: unknown;
    readonly cause?: { readonly message?: unknown };
    readonly response?: { readonly headers?: Failure["headers"] };
  };
  const isAnswer = typeof status === "number" && response !== undefined;
  const why = isAnswer ? message : (cause?.message ?? message);
  return {
    status: isAnswer ? status : 0,
    message: typeof why === "string" && why !== "" ? why : "the connection broke",
    headers: response?.headers ?? {},
  };
}

function refusal({ status, message, headers }: Failure, what: string): GitHubError {
  const wants = permissionsIn(String(headers["x-accepted-github-permissions"] ?? ""));
  const text = message.replace(/ - https:\/\/\S+$/, "").slice(0, 500);
  const how = status === 0 ? "did not answer" : `answered ${status} to`;
  return new GitHubError(`GitHub ${how} ${what}: ${text}`, { status, wants });
}

/** `issues=write; pull_requests=write` are alternatives; any one is enough. */
function permissionsIn(header: string): readonly string[] {
  return header
    .split(/[;,]/)
    .map((each) => each.trim().replaceAll("_", "-").replace("=", ": "))
    .filter((each) => /^[a-z-]+: (read|write)$/.test(each));
}

/** A route with the repository's names and numbers filled in. */
function filled(url: string, request: RequestFields): string {
  const path = url.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = request[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  return path.replace(/^https?:\/\/[^/]+/, "");
}
