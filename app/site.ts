import { type Api, type Repository, type RestRefs, restRefs, type Tip } from "../src/index.ts";
import { askConfig, type Config, configFile, parseConfig } from "./config.ts";

/** A repository the app works in, while one delivery is dealt with. Nothing of it outlives that. */
export interface Site extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  /** The login we ourselves write by. */
  readonly me: string | undefined;
  readonly runs: RestRefs;
  /** What the repository's own file allows, as it is now; throws `ConfigError`. */
  config(): Promise<Config>;
  /** A run's tip, and the head of a pull request. */
  look(
    run: string,
    pull: number | undefined,
  ): Promise<{ readonly tip: Tip | undefined; readonly head: string | undefined }>;
  /** Counts something for whoever watches the app. */
  count(what: Counted): void;
  /** Now, in ISO 8601. */
  now(): string;
  /** Goes on with a run in this very process instead of starting a job for it. */
  readonly wake: ((run: string) => Promise<void>) | undefined;
}

export const counted = ["commands", "refusals", "decisions", "dispatches", "faults"] as const;
export type Counted = (typeof counted)[number];

export interface SiteOptions extends Repository {
  readonly api: Api;
  readonly defaultBranch: string;
  readonly me?: string | undefined;
  count?(what: Counted): void;
  now?(): string;
  readonly wake?: (run: string) => Promise<void>;
}

/** Opens a repository for one delivery. */
export function openSite(options: SiteOptions): Site {
  const { api, owner, repo, defaultBranch, me, wake } = options;
  const runs = restRefs({ api, owner, repo });
  let config: Promise<Config> | undefined;
  return {
    api,
    owner,
    repo,
    defaultBranch,
    me,
    runs,
    wake,
    config() {
      config ??= askConfig({ api, owner, repo });
      return config;
    },
    async look(run, pull) {
      const wanted = config === undefined ? { pull, file: configFile } : { pull };
      const { text, ...found } = await runs.look(run, wanted);
      if (text !== undefined) {
        config ??= Promise.resolve(text).then(parseConfig);
        config.catch(() => undefined);
      }
      return found;
    },
    count: options.count ?? (() => undefined),
    now: options.now ?? (() => new Date().toISOString()),
  };
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
}
