import type { ApplicationFunction, Probot } from "probot";
import { z } from "zod";
import type { Api, RefHost } from "../src/index.ts";
import { type Intake, openIntake } from "./intake.ts";
import { linkTo, type Pages } from "./links.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { onButton } from "./on-button.ts";
import { onComment } from "./on-comment.ts";
import { checkConfig, concernsConfig } from "./on-push.ts";
import { openSite, type Site } from "./site.ts";
import { sweep } from "./sweep.ts";

/** The app as one function for Probot, whatever home it has, and what watches it. */
export interface Application {
  readonly load: ApplicationFunction;
  readonly intake: Intake;
  readonly metrics: Metrics;
}

/** What the app is told once, by whoever runs it. */
export interface Settings {
  /** Signs what we put on record, where jobs sign theirs. */
  readonly stateKey?: string | undefined;
  /** Where people reach our pages, if they do. */
  readonly pages?: Pages | undefined;
}

interface AppPlace extends Settings, Pick<Metrics, "count"> {
  /** What is known of the host. */
  readonly host?: RefHost;
  /** The login the app writes by. */
  login?(): Promise<string>;
}

/** Makes the app. It keeps nothing but counts, the ids of deliveries it took lately, and what its host can be asked. */
export function createApplication(settings: Settings = {}): Application {
  const metrics = openMetrics();
  let failed: (error: unknown) => void = () => undefined;
  const intake = openIntake({
    failed(error) {
      metrics.count("faults");
      failed(error);
    },
  });
  return {
    intake,
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
      failed = (error) => probot.log.error(error, "a delivery was not dealt with");
      hear(probot, {
        came: () => metrics.count("deliveries"),
        take(id, work) {
          intake.take(id, async () => {
            const begun = performance.now();
            await work();
            metrics.took(performance.now() - begun);
          });
        },
        open: (octokit, repository) =>
          siteOf(octokit, repository, { ...settings, count: metrics.count, host, login }),
      });
    },
  };
}

const aboutApp = z.object({ slug: z.string() });

/** Only the app itself, not what is installed of it, may ask who it is. */
async function askLogin(probot: Probot): Promise<string> {
  const asApp = await probot.auth();
  const { data } = await asApp.request("GET /app");
  return `${aboutApp.parse(data).slug}[bot]`;
}

interface Desk {
  /** Counts what comes. */
  came(): void;
  take(delivery: string, work: () => Promise<void>): void;
  open(octokit: Octokit, repository: HookRepository): Site;
}

/**
 * `app.yml` asks for these events; a test holds it to that. Each event is heard in one place: Probot makes a client of
 * its own for everybody who hears it.
 */
function hear(probot: Probot, { came, take, open }: Desk): void {
  probot.on("issue_comment.created", ({ id, payload, octokit }) => {
    came();
    const { comment, issue, repository } = payload;
    // Most comments are not for us: they cost nothing.
    if (!comment.body.startsWith("/workflow") || !issue.pull_request) return;
    if (payload.sender.login !== comment.user?.login) return;
    take(id, () =>
      onComment(open(octokit, repository), {
        id: comment.id,
        body: comment.body,
        by: comment.user?.login ?? "",
        isBot: comment.user?.type !== "User",
        at: comment.created_at,
        pull: issue.number,
        author: issue.user?.login ?? "",
      }),
    );
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
      await sweep(open(octokit, payload.repository), { job: payload.workflow_run.id, graceMs: 0 });
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

/** A repository as webhooks describe it. */
interface HookRepository {
  readonly html_url: string;
  readonly name: string;
  readonly owner: { readonly login: string };
  readonly default_branch: string;
  readonly private?: boolean;
}

interface Octokit {
  // biome-ignore lint/suspicious/noExplicitAny: the routes of Octokit are more than its types can hold together
  request(route: any, parameters?: any): Promise<{ readonly status: number; readonly data: unknown }>;
}

/** Opens the repository a delivery tells of. */
export function siteOf(
  octokit: Octokit,
  repository: HookRepository,
  { stateKey, pages, count, host, login }: AppPlace,
): Site {
  const place = { owner: repository.owner.login, repo: repository.name };
  // Where it is not told, nothing is given away.
  const isPrivate = repository.private ?? true;
  return openSite({
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

/** The API as we ask it, through any Octokit. */
export const apiOf = (octokit: Octokit): Api => ({
  request: (route, parameters) => octokit.request(route, parameters),
});
