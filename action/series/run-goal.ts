import { apiOf, loadGitHub } from "../../src/api/github.ts";
import { forecastOf, forecastText, readGoal } from "../../src/api/publishing.ts";
import { messageOf, type SeriesFacts } from "../../src/api/runs.ts";
import type { Plan } from "../../src/api/workflows.ts";
import type { Job, JobServices } from "../job/job.ts";
import { type Annotation, annotation } from "../job/workflow-commands.ts";
import type { PublishContext } from "../publish/publish-context.ts";
import type { PublishPlan } from "../publish/publish-plan.ts";
import { type Templates, templatesOf } from "../publish/pull-text.ts";
import type { StepResult } from "../result/step-result.ts";

/** The goal that this job's run works on; `undefined` if its work is published to no branch of its own. */
export interface RunGoal {
  readonly series: SeriesFacts | undefined;
  /** The workflow's templates for published texts. */
  readonly templates: Templates;
  /** Reads the goal before the run starts, claims it for a resumed run, and forecasts the cost. */
  readonly services: Pick<JobServices, "openGoal" | "claimAgain" | "forecast">;
  /** The forecast made when the run started in this job. */
  readonly madeForecast: string | undefined;
  /** Records the run's end in the goal's record; returns errors as sentences. */
  end(ended: EndedRun): Promise<readonly Annotation[]>;
}

interface EndedRun {
  readonly context: PublishContext;
  readonly result: StepResult;
  /** The notes of its agents. */
  readonly notes: readonly string[];
}

interface Options {
  readonly context: PublishContext;
  plan(workflow: string): PublishPlan | undefined;
  /** For a resumed run. */
  readonly begun: { readonly series: SeriesFacts | undefined; readonly plan: Plan } | undefined;
}

export function openRunGoal({ context, plan, begun }: Options): RunGoal {
  let series = begun?.series;
  let file = begun?.plan.series;
  let forecast: string | undefined;
  let { issue } = context.site;
  return {
    get series() {
      return series;
    },
    get madeForecast() {
      return forecast;
    },
    get templates() {
      return templatesOf(context.inputs, file, issue);
    },
    services: {
      async openGoal(starting) {
        file = starting.plan.series;
        const target = plan(starting.plan.name);
        if (target === undefined) return undefined;
        ({ issue } = target);
        const { refuseRules } = await import("../publish/refuse-rules.ts");
        await refuseRules(context, target);
        if (target.way === "push") return undefined;
        const { openGoal } = await import("./open-goal.ts");
        const goal = await openGoal({ ...starting, context, target });
        if (goal !== undefined && "series" in goal) ({ series, forecast } = goal);
        return goal;
      },
      async claimAgain({ run, statusOf }) {
        const { github, job } = context;
        if (series === undefined || github === undefined) return undefined;
        const { claimAgain } = await import("./claim-holder.ts");
        try {
          return await claimAgain({ run, goal: series.goal, github, statusOf, job });
        } catch (error) {
          const message = `other runs of the same goal may start meanwhile: ${textOf(error, job)}`;
          job.log.annotate(annotation("warning", message));
          return undefined;
        }
      },
      async forecast(workflow) {
        const target = plan(workflow);
        if (target === undefined || target.way === "push" || context.github === undefined) return undefined;
        const { goalRefs } = await loadGitHub();
        const store = goalRefs({ api: apiOf(context.github), ...context.github.at });
        const forecast = forecastOf(await readGoal(store, target.branch));
        return forecast && forecastText(forecast);
      },
    },
    async end({ context: { github, base, inputs, site, job }, result, notes }) {
      if (series === undefined || github === undefined) return [];
      try {
        const { endAttempt } = await import("./end-attempt.ts");
        const failureIssue = inputs["failure-issue"] ?? file?.failureIssue;
        const at = { github, base, job, log: site.job };
        await endAttempt({ ...at, series, ending: result, notes, failureIssue });
        return [];
      } catch (error) {
        const message = `the next run of this goal will not know about this one: ${textOf(error, job)}`;
        return [annotation("warning", message)];
      }
    },
  };
}

const textOf = (error: unknown, job: Job) => job.withoutSecrets(messageOf(error));
