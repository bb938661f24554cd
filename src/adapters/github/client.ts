import { Octokit } from "@octokit/core";
import { type Asked, type Failure, persist } from "./patience.ts";

/** One repository on a GitHub host, asked with one token. */
export interface GitHub {
  /** Names the repository in every route: `{ ...github.at, issue_number }`. */
  readonly at: { readonly owner: string; readonly repo: string };
  /** Asks by a route; rejects with `GitHubError` after what waiting could mend has been waited for. */
  readonly request: Octokit["request"];
  /** The login that the token acts as: `github-actions[bot]` for that of a job. */
  login(): Promise<string>;
}

export interface GitHubOptions {
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
  /** As `GITHUB_API_URL` says; that of github.com unless told. */
  readonly apiUrl?: string | undefined;
  /** The longest one request may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** The longest that is waited, over all tries, for a host that is busy or away; in milliseconds. */
  readonly patienceMs?: number;
}

/** GitHub did not do what it was asked. Names what was asked, never the token. */
export class GitHubError extends Error {
  override readonly name = "GitHubError";
  /** 0 where no answer came: it may have been done all the same. */
  readonly status: number;
  /** The permissions of the job that would allow it, as GitHub names them: `issues: write`. */
  readonly wants: readonly string[];

  constructor(message: string, { status, wants = [] }: { status: number; wants?: readonly string[] }) {
    super(message);
    this.status = status;
    this.wants = wants;
  }
}

/** Opens a repository for asking; asks nothing yet. */
export function openGitHub(options: GitHubOptions): GitHub {
  const { token, repository, apiUrl, timeoutMs = 15_000, patienceMs = 60_000 } = options;
  const [owner = "", repo = ""] = repository.split("/");
  const octokit = new Octokit({
    auth: token,
    userAgent: "until-green",
    baseUrl: (apiUrl ?? "https://api.github.com").replace(/\/+$/, ""),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  octokit.hook.wrap("request", async (send, asked) => {
    const { method, url } = asked;
    const once = () =>
      send({ ...asked, request: { ...asked.request, signal: AbortSignal.timeout(timeoutMs) } });
    return await persist(once, { method, patienceMs }, (failure) =>
      refusal(failure, `${method} ${filled(url, asked)}`),
    );
  });
  let login: Promise<string> | undefined;
  return {
    at: { owner, repo },
    request: octokit.request,
    login: () => (login ??= readLogin(octokit)),
  };
}

const silent = () => undefined;

/** The only question that the token of a job, of an app and of a person may all ask. */
async function readLogin(octokit: Octokit): Promise<string> {
  try {
    const { viewer } = await octokit.graphql<{ readonly viewer: { readonly login: string } }>(
      "{ viewer { login } }",
    );
    return viewer.login;
  } catch {
    return jobLogin;
  }
}

/** By which the jobs of a repository write, unless they are given another token. */
export const jobLogin = "github-actions[bot]";

function refusal({ status, message, headers }: Failure, what: string): GitHubError {
  const wants = permissionsIn(headers["x-accepted-github-permissions"] ?? "");
  const said = message.replace(/ - https:\/\/\S+$/, "").slice(0, 500);
  const how = status === 0 ? "did not answer" : `answered ${status} to`;
  return new GitHubError(`GitHub ${how} ${what}: ${said}`, { status, wants });
}

/** `issues=write; pull_requests=write` are alternatives, of which any one will do. */
function permissionsIn(header: string): readonly string[] {
  return header
    .split(/[;,]/)
    .map((each) => each.trim().replaceAll("_", "-").replace("=", ": "))
    .filter((each) => /^[a-z-]+: (read|write)$/.test(each));
}

/** A route with the names of the repository and the numbers in it. */
function filled(url: string, asked: Asked): string {
  const path = url.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = asked[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
  return path.replace(/^https?:\/\/[^/]+/, "");
}
