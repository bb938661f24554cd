import type { ApplicationFunction, Probot } from "probot";
import { z } from "zod";
import {
  apiOf,
  commandLimit,
  incomingComment,
  mayDriveRuns,
  onButton,
  onComment,
  openRepositoryContext,
  type RepositoryContext,
  sweep,
} from "../src/api/github.ts";
import type { RefHost } from "../src/api/runs.ts";
import { createDeliveryQueue, type DeliveryQueue } from "./delivery-queue.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { checkConfig, concernsConfig } from "./on-push.ts";
import { openRateLimit } from "./rate-limit.ts";
import { openShortCache } from "./short-cache.ts";
import { linkTo, type Pages } from "./signed-links.ts";

/** The app as a Probot function, and its metrics. */
export interface Application {
  readonly load: ApplicationFunction;
  readonly deliveries: DeliveryQueue;
  readonly metrics: Metrics;
}

/** Options of the app. */
export interface AppSettings {
  /** Signs records with the same key as the jobs. */
  readonly stateKey?: string | undefined;
  /** The public URL of our pages, if any. */
  readonly pages?: Pages | undefined;
  /** Maximum commands of one person on one pull request in ten minutes; default no limit. */
  readonly mostCommands?: number | undefined;
}

interface AppPlace extends AppSettings, Pick<Metrics, "count"> {
  /** Cached facts about the host. */
  readonly host?: RefHost;
  /** The app's own login. */
  login?(): Promise<string>;
}

/** Creates the app. Its only state: counters, ids of recent deliveries, and cached answers of its host. */
export function createApplication(settings: AppSettings = {}): Application {
  const metrics = openMetrics();
  let failed: (error: unknown) => void = () => undefined;
  const deliveries = createDeliveryQueue((error) => {
    metrics.count("faults");
    failed(error);
  });
  return {
    deliveries,
    metrics,
    load(probot) {
      const host: RefHost = { hasGraph: true };
      let me: Promise<string> | undefined;
      const login = () => {
        me ??= askLogin(probot);
        me.catch(() => {
          me = undefined;
        });
        return me;
      };
      failed = (error) => probot.log.error(error, "a delivery could not be processed");
      const { mostCommands: most } = settings;
      const isInTime = most === undefined ? () => true : openRateLimit({ ...commandLimit, most });
      listen(probot, {
        came: () => metrics.count("deliveries"),
        isInTime(name) {
          const is = isInTime(name);
          if (!is) metrics.count("refusals");
          return is;
        },
        take(id, work) {
          deliveries.take(id, async () => {
            const startedAt = performance.now();
            await work();
            metrics.took(performance.now() - startedAt);
          });
        },
        open: (octokit, repository) =>
          siteOf(octokit, repository, { ...settings, count: metrics.count, host, login }),
      });
    },
  };
}

const aboutApp = z.object({ slug: z.string() });

/** Only the app itself may ask for its name; an installation may not. */
async function askLogin(probot: Probot): Promise<string> {
  const asApp = await probot.auth();
  const { data } = await asApp.request("GET /app");
  return `${aboutApp.parse(data).slug}[bot]`;
}

interface WebhookContext {
  /** Counts incoming deliveries. */
  came(): void;
  /** True if a person is below the command limit. */
  isInTime(name: string): boolean;
  take(delivery: string, work: () => Promise<void>): void;
  open(octokit: Octokit, repository: HookRepository): RepositoryContext;
}

/**
 * `app.yml` subscribes to these events; a test checks that. Each event has one handler, because Probot creates a client
 * for each handler.
 */
function listen(probot: Probot, { came, isInTime, take, open }: WebhookContext): void {
  const drives = openShortCache<boolean>(rememberedMs);
  probot.on("issue_comment.created", ({ id, payload, octokit }) => {
    came();
    const { comment, issue, repository } = payload;
    // Most comments contain no command: they cost nothing.
    if (!comment.body.startsWith("/workflow")) return;
    if (payload.sender.login !== comment.user?.login) return;
    if (!isInTime(`${payload.sender.login} ${repository.full_name}#${issue.number}`)) return;
    const author = issue.user?.login ?? "";
    const about = { pull: issue.number, isOnIssue: !issue.pull_request, author };
    take(id, () => onComment(open(octokit, repository), incomingComment(comment, about)));
  });
  probot.on("check_run.requested_action", ({ id, payload, octokit }) => {
    came();
    const { check_run: check, requested_action: action, sender, repository } = payload;
    take(id, () =>
      onButton(open(octokit, repository), {
        identifier: action?.identifier ?? "",
        run: check.external_id ?? "",
        pull: check.pull_requests?.[0]?.number,
        by: sender.login,
        isBot: sender.type !== "User",
        delivery: id,
      }),
    );
  });
  probot.on("workflow_run.completed", ({ id, payload, octokit }) => {
    came();
    take(id, async () => {
      const site = open(octokit, payload.repository);
      const { id: job, path } = payload.workflow_run;
      // Every workflow of every repository sends this event, most of them irrelevant.
      const name = `${site.owner}/${site.repo}/${path}`;
      if (path && !(await drives(name, () => mayDriveRuns(site, path)))) return;
      await sweep(site, { job, graceMs: 0 });
    });
  });
  probot.on("push", ({ id, payload, octokit }) => {
    came();
    const { ref, after, commits, repository } = payload;
    const touched = commits.flatMap(({ added, modified, removed }) =>
      [added, modified, removed].flat().filter((file) => file !== undefined),
    );
    const push = { ref, after, touched };
    if (concernsConfig(push, repository.default_branch))
      take(id, () => checkConfig(open(octokit, repository as HookRepository), push));
  });
}

/** How long to cache whether a workflow may drive runs, in milliseconds. */
const rememberedMs = 10 * 60_000;

/** A repository in a webhook payload. */
interface HookRepository {
  readonly html_url: string;
  readonly name: string;
  readonly owner: { readonly login: string };
  readonly default_branch: string;
  readonly private?: boolean;
}

type Octokit = Parameters<typeof apiOf>[0];

/** Opens the repository of a delivery. */
export function siteOf(
  octokit: Octokit,
  repository: HookRepository,
  { stateKey, pages, count, host, login }: AppPlace,
): RepositoryContext {
  const place = { owner: repository.owner.login, repo: repository.name };
  // If unknown, treat it as private.
  const isPrivate = repository.private ?? true;
  return openRepositoryContext({
    api: apiOf(octokit),
    ...place,
    defaultBranch: repository.default_branch,
    server: new URL(repository.html_url).origin,
    count,
    ...(login && { login }),
    key: stateKey,
    host,
    ...(pages && { pageOf: (run: string) => linkTo(pages, { ...place, run, isPrivate }, Date.now()) }),
  });
}
