import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type Api,
  type Around,
  type GitHub,
  jobLogin,
  type Look,
  type RefHost,
  type Repository,
  type RestRefs,
  type Role,
  restRefs,
  roleOf,
  type Survey,
} from "../src/index.ts";
import { askConfig, type Config, configFile, parseConfig } from "./config.ts";

/** A repository the app works in, while one delivery is dealt with. Nothing of it outlives that. */
export interface Site extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  /** Where people read it, like `https://github.com`. */
  readonly server: string;
  /** The login we ourselves write by. */
  login(): Promise<string>;
  readonly runs: RestRefs;
  /** What the repository's own file allows, as it is now; throws `ConfigError`. */
  config(): Promise<Config>;
  /** A run's tip, and what else is wanted; what the host tells along is not asked for again. */
  look(run: string, beside?: Beside): Promise<Pick<Look, "tip" | "head" | "author">>;
  /** The tips of all runs alike; `undefined` where the host does not tell of them all in one answer. */
  survey(beside?: Beside): Promise<Pick<Survey, "tips" | "head"> | undefined>;
  /** What somebody may do, as the host said while this delivery is dealt with; throws where it does not answer. */
  role(login: string): Promise<Role>;
  /** Counts something for whoever watches the app. */
  count(what: Counted): void;
  /** Now, in ISO 8601. */
  now(): string;
  /** The address of a run's page, where the app has one that people reach. */
  pageOf(run: string): string | undefined;
  /** Whether what we put on record is signed, so that nobody else can have written it. */
  readonly isSealed: boolean;
  /** Goes on with a run in this very process instead of starting a job for it. */
  readonly wake: ((run: string) => Promise<void>) | undefined;
}

/** What is wanted besides a run's tip. */
export interface Beside {
  /** Where it stands, and who opened it. */
  readonly pull?: number | undefined;
  /** Who speaks: what they may do. */
  readonly by?: string | undefined;
  /** The lines that the tip added, also where they cost a call more. */
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

export interface SiteOptions extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  readonly server?: string;
  /** The login we ourselves write by; asked of the host unless told. */
  login?(): Promise<string>;
  /** Signs what we put on record. */
  readonly key?: string | undefined;
  /** What is known of the host, by all deliveries together. */
  readonly host?: RefHost | undefined;
  count?(what: Counted): void;
  now?(): string;
  pageOf?(run: string): string;
  readonly wake?: (run: string) => Promise<void>;
}

/** Opens a repository for one delivery. */
export function openSite(options: SiteOptions): Site {
  const { api, owner, repo, defaultBranch, wake, server = "https://github.com" } = options;
  const runs = restRefs({ api, owner, repo, key: options.key, host: options.host });
  let config: Promise<Config> | undefined;
  let me: Promise<string> | undefined;
  const told = new Map<string, Role>();
  const wanted = ({ pull, by: login, lines }: Beside) => ({
    pull,
    login,
    lines,
    file: config === undefined ? configFile : undefined,
  });
  const keep = ({ text, role }: Around, { by }: Beside) => {
    if (text !== undefined && config === undefined) {
      config = Promise.resolve(text).then(parseConfig);
      config.catch(() => undefined);
    }
    if (by !== undefined && role !== undefined) told.set(by.toLowerCase(), role);
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
    isSealed: options.key !== undefined,
    pageOf: (run) => options.pageOf?.(run),
    config() {
      config ??= askConfig({ api, owner, repo });
      return config;
    },
    async look(run, beside = {}) {
      const found = await runs.look(run, wanted(beside));
      keep(found, beside);
      return found;
    },
    async survey(beside = {}) {
      const found = await runs.survey(wanted(beside));
      if (found !== undefined) keep(found, beside);
      return found;
    },
    role: async (login) => told.get(login.toLowerCase()) ?? (await roleOf({ api, owner, repo }, login)),
    count: options.count ?? (() => undefined),
    now: options.now ?? (() => new Date().toISOString()),
  };
}

const viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });

async function askLogin(api: Api): Promise<string> {
  const { data } = await api.request("POST /graphql", { query: "{ viewer { login } }" });
  return viewer.parse(data).data.viewer.login;
}

/** The same repository, for those who speak to the host by its client. */
export const githubOf = ({ api, owner, repo, login }: Site): GitHub => ({
  at: { owner, repo },
  request: api.request as GitHub["request"],
  login,
});

/** Whether a login is ours: our own, or that of the jobs of the repository, whose comments we go on with. */
export async function isOurs(site: Site, login: string | undefined): Promise<boolean> {
  const isLogin = (other: string) => login?.toLowerCase() === other.toLowerCase();
  // Only where it is no job's is the host asked who we are; where it does not say, it is not ours.
  return isLogin(jobLogin) || isLogin(await site.login().catch(() => jobLogin));
}

/** A comment, as a webhook or the API tells of it. */
export interface Remark {
  readonly id: number;
  readonly body: string;
  readonly by: string;
  /** Whether an app or another program wrote it. */
  readonly isBot: boolean;
  /** When it was written, in ISO 8601. */
  readonly at: string;
  /** The pull request it stands on, and who opened that. */
  readonly pull: number;
  readonly author: string;
  /** Whether we had not heard it before; it is told to us again, and to other copies of us. */
  readonly isFirst?: Promise<boolean>;
}

/** What a text was when somebody wrote it: a later edit shows. */
export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
