import type { ApplicationFunction, Probot } from "probot";
import type { Api } from "../src/index.ts";
import { type Intake, openIntake } from "./intake.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { onButton } from "./on-button.ts";
import { onComment } from "./on-comment.ts";
import { openSite, type Site } from "./site.ts";
import { sweep } from "./sweep.ts";

/** The app as one function for Probot, whatever home it has, and what watches it. */
export interface Application {
  readonly load: ApplicationFunction;
  readonly intake: Intake;
  readonly metrics: Metrics;
}

/** Makes the app. It keeps nothing but counts, and the ids of deliveries it took lately. */
export function createApplication(): Application {
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
      failed = (error) => probot.log.error(error, "a delivery was not dealt with");
      hear(
        probot,
        (id, work) => {
          intake.take(id, async () => {
            const begun = performance.now();
            await work();
            metrics.took(performance.now() - begun);
          });
        },
        metrics,
      );
    },
  };
}

type Take = (delivery: string, work: () => Promise<void>) => void;

function hear(probot: Probot, take: Take, metrics: Metrics): void {
  probot.onAny(() => metrics.count("deliveries"));
  probot.on("issue_comment.created", ({ id, payload, octokit }) => {
    const { comment, issue, repository } = payload;
    // Most comments are not for us: they cost nothing.
    if (!comment.body.startsWith("/workflow") || !issue.pull_request) return;
    if (payload.sender.login !== comment.user?.login) return;
    take(id, () =>
      onComment(siteOf(octokit, repository, metrics), {
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
    const { check_run: check, requested_action: action, sender, repository } = payload;
    take(id, () =>
      onButton(siteOf(octokit, repository, metrics), {
        identifier: action?.identifier ?? "",
        run: check.external_id ?? "",
        by: sender.login,
        isBot: sender.type !== "User",
      }),
    );
  });
  probot.on("workflow_run.completed", ({ id, payload, octokit }) => {
    take(id, async () => {
      await sweep(siteOf(octokit, payload.repository, metrics), { job: payload.workflow_run.id, graceMs: 0 });
    });
  });
}

/** A repository as webhooks describe it. */
interface HookRepository {
  readonly html_url: string;
  readonly name: string;
  readonly owner: { readonly login: string };
  readonly default_branch: string;
}

interface Octokit {
  // biome-ignore lint/suspicious/noExplicitAny: the routes of Octokit are more than its types can hold together
  request(route: any, parameters?: any): Promise<{ readonly status: number; readonly data: unknown }>;
}

/** Opens the repository a delivery tells of. */
export function siteOf(octokit: Octokit, repository: HookRepository, metrics: Pick<Metrics, "count">): Site {
  return openSite({
    api: apiOf(octokit),
    owner: repository.owner.login,
    repo: repository.name,
    defaultBranch: repository.default_branch,
    server: new URL(repository.html_url).origin,
    count: metrics.count,
  });
}

/** The API as we ask it, through any Octokit. */
export const apiOf = (octokit: Octokit): Api => ({
  request: (route, parameters) => octokit.request(route, parameters),
});
