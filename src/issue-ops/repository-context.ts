import { createHash } from "node:crypto";
import { z } from "zod";
import type { Api, ApiRepository, Repository } from "../github/api.ts";
import { type GitHub, jobLogin } from "../github/client.ts";
import { type Role, roleOf } from "../github/permission.ts";
import { isNameOf } from "../github/repository.ts";
import type { RunStatus } from "../status/run-status.ts";
import type { RefHost, RelatedFacts, RunListing, RunLookup } from "../stores/rest/tip.ts";
import { type RestRefs, restRefs } from "../stores/rest-ref.ts";
import { type Config, configFile, parseConfig, readConfigText } from "./config.ts";

/** A repository during one webhook delivery. Nothing of it is kept afterwards. */
export interface RepositoryContext extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  /** Base URL for people, such as `https://github.com`. */
  readonly server: string;
  /** The login of our own comments. */
  login(): Promise<string>;
  readonly runs: RestRefs;
  /** The current configuration of the repository; throws `ConfigError`. */
  config(): Promise<Config>;
  /** Reads a run's tip and other requested data; data that is already there is not requested again. */
  look(run: string, related?: Related): Promise<Pick<RunLookup, "tip" | "head" | "author">>;
  /** The tips of all runs; `undefined` if the host does not return them in one answer. */
  survey(related?: Related): Promise<Pick<RunListing, "tips" | "head"> | undefined>;
  /** True if this is, or was, the name of the repository; asked once per delivery and name. */
  isCalled(name: string): Promise<boolean>;
  /** The permission of a person, read once per delivery; throws if the host does not answer. */
  role(login: string): Promise<Role>;
  /** Counts something in the app's metrics. */
  count(what: Counted): void;
  /** Now, in ISO 8601. */
  now(): string;
  /** The URL of a run's page, if the app has a reachable one. */
  pageOf(run: string): string | undefined;
  /** True if our records are signed, so that nobody else can have written them. */
  readonly isSealed: boolean;
  /** Resumes a run in this process instead of starting a job for it; returns why not, if there is nothing to do. */
  readonly wake: ((run: string) => Promise<string | undefined>) | undefined;
  /** True if this job is a re-run: its first attempt may have been interrupted. */
  readonly isRerun: boolean;
  /** Shows a run that has ended once more, in a re-run. */
  readonly showEnd: ((status: RunStatus) => Promise<void>) | undefined;
}

/** What to read in addition to a run's tip. */
export interface Related {
  /** Its head and its author. */
  readonly pull?: number | undefined;
  /** The person whose permission to read. */
  readonly by?: string | undefined;
  /** The lines that the tip added, even if they need another request. */
  readonly lines?: boolean | undefined;
}

export const counted = [
  "commands",
  "refusals",
  "decisions",
  "dispatches",
  "failed_dispatches",
  "faults",
] as const;
export type Counted = (typeof counted)[number];

export interface RepositoryContextOptions extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  readonly server?: string;
  /** Our own login; by default requested from the host. */
  login?(): Promise<string>;
  /** Signs our records. */
  readonly key?: string | undefined;
  /** Facts about the host, shared by all deliveries. */
  readonly host?: RefHost | undefined;
  count?(what: Counted): void;
  now?(): string;
  pageOf?(run: string): string;
  readonly wake?: (run: string) => Promise<string | undefined>;
  readonly isRerun?: boolean;
  readonly showEnd?: (status: RunStatus) => Promise<void>;
}

/** Opens a repository for one delivery. */
export function openRepositoryContext(options: RepositoryContextOptions): RepositoryContext {
  const { api, owner, repo, defaultBranch, wake, isRerun = false, server = "https://github.com" } = options;
  let config: Promise<Config> | undefined;
  let me: Promise<string> | undefined;
  const known = new Map<string, Role>();
  const isCalled = nameAsker({ api, owner, repo });
  const { key, host } = options;
  const runs = restRefs({ api, owner, repo, key, host, wasCalled: isCalled });
  const wanted = ({ pull, by: login, lines }: Related) => ({
    pull,
    login,
    lines,
    file: config === undefined ? configFile : undefined,
  });
  const keep = ({ text, role }: RelatedFacts, { by }: Related) => {
    if (text !== undefined && config === undefined) {
      config = Promise.resolve(text).then(parseConfig);
      config.catch(() => undefined);
    }
    if (by !== undefined && role !== undefined) known.set(by.toLowerCase(), role);
  };
  return {
    api,
    owner,
    repo,
    defaultBranch,
    server,
    login() {
      me ??= options.login?.() ?? askLogin(api);
      return me;
    },
    runs,
    wake,
    isRerun,
    showEnd: options.showEnd,
    isSealed: options.key !== undefined,
    pageOf: (run) => options.pageOf?.(run),
    config() {
      config ??= readConfigText({ api, owner, repo }).then(parseConfig);
      return config;
    },
    async look(run, related = {}) {
      const result = await runs.look(run, wanted(related));
      keep(result, related);
      return result;
    },
    async survey(related = {}) {
      const result = await runs.survey(wanted(related));
      if (result !== undefined) keep(result, related);
      return result;
    },
    isCalled,
    role: async (login) => known.get(login.toLowerCase()) ?? (await roleOf({ api, owner, repo }, login)),
    count: options.count ?? (() => undefined),
    now: options.now ?? (() => new Date().toISOString()),
  };
}

/** Asks once about each name. */
function nameAsker(place: ApiRepository) {
  const names = new Map<string, Promise<boolean>>();
  return (name: string) => {
    const answer = names.get(name) ?? isNameOf(place, name);
    names.set(name, answer);
    return answer;
  };
}

const viewer = z.object({ viewer: z.object({ login: z.string() }) });

async function askLogin(api: Api): Promise<string> {
  return viewer.parse(await api.graphql("{ viewer { login } }")).viewer.login;
}

/** The same repository, as a GitHub client. */
export const githubOf = ({ api, owner, repo, login }: RepositoryContext): GitHub => ({
  at: { owner, repo },
  ...(api as Pick<GitHub, "graphql" | "paginate" | "request">),
  login,
});

/** True if a login is our own, or that of the repository's jobs, whose comments we update. */
export async function isOurs(site: RepositoryContext, login: string | undefined): Promise<boolean> {
  const isLogin = (other: string) => login?.toLowerCase() === other.toLowerCase();
  // The host is asked for our login only if the comment is not by a job; if it does not answer, the comment is not
  // ours.
  return isLogin(jobLogin) || isLogin(await site.login().catch(() => jobLogin));
}

/** A comment, from a webhook or the API. */
export interface IncomingComment {
  readonly id: number;
  readonly body: string;
  readonly by: string;
  /** True if an app or another program wrote it. */
  readonly isBot: boolean;
  /** When it was written, in ISO 8601. */
  readonly at: string;
  /** Its pull request or issue, with the author. */
  readonly pull: number;
  readonly isOnIssue?: boolean;
  readonly author: string;
  /** Whether this is the first delivery; it may be redelivered, also to other processes of the app. */
  readonly isFirst?: Promise<boolean>;
}

/** A hash of the text at the time of the command, to detect a later edit. */
export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
