import { type GitHub, loadGitHub } from "../../src/api/github.ts";
import { RefusedError } from "../job/job.ts";
import { annotation } from "../job/workflow-commands.ts";
import type { PublishContext } from "./publish-context.ts";
import type { PublishPlan } from "./publish-plan.ts";
import { refuseNeighbours } from "./refuse-neighbours.ts";

/**
 * Throws `RefusedError` if a ruleset, or another branch, would refuse the push of the work; checked before anything
 * costs money.
 */
export async function refuseRules(context: PublishContext, plan: PublishPlan): Promise<void> {
  const { branch, way: mode } = plan;
  await refuseNeighbours(context, plan);
  const { inputs, github, opener, job } = context;
  const asking = opener ?? github;
  if (asking === undefined) return;
  const { jobLogin, readPushRules } = await loadGitHub();
  const isApi = inputs["commit-mode"] === "api";
  if (isApi) await refusePerson(context, asking);
  // If the host is unavailable now, the push will show it.
  const all = await readPushRules(asking, branch).catch(() => []);
  const rules = all.filter(({ name, mayBypass }) => mayBypass !== true && !(isApi && name === signedCommits));
  if (rules.length === 0) return;
  const login = inputs["app-id"] === undefined ? await asking.login() : "an app[bot]";
  const isJob = login === jobLogin;
  const names = new Set(rules.map(({ name, ruleset }) => `"${name}" in the ruleset ${ruleset}`));
  const signs = rules.some(({ name }) => name === signedCommits)
    ? "set `commit-mode: api`, which lets GitHub sign the commits; or "
    : "";
  const what = `\`publish: ${mode}\` pushes to ${branch}, which the repository's rules forbid (${[...names].join(", ")})`;
  const remedy =
    signs +
    (mode === "push"
      ? "add the account that pushes to its bypass list, or publish with `publish: pull-request`"
      : `exclude \`${branch.replace(/\/[^/]*$/, "/**")}\` from it (Settings → Rules → Rulesets), or push with ${isJob ? "the `push-token` or the app" : "a token"} of somebody on its bypass list`);
  // A job's own token is never exempt. What GitHub reports about exemptions concerns people, not apps.
  const isSure = isJob || (!login.endsWith("[bot]") && rules.some(({ mayBypass }) => mayBypass === false));
  if (isSure) throw new RefusedError(`${what}: ${remedy}`);
  const message = `${what}, unless the token may bypass them. If the push is refused: ${remedy}`;
  job.log.annotate(annotation("warning", message));
}

/** The rule's name in GitHub's settings. */
const signedCommits = "Require signed commits";

/**
 * GitHub signs commits that apps, including a job's own token, create through its API, but not those of a personal
 * token.
 */
async function refusePerson({ inputs }: PublishContext, asking: GitHub): Promise<void> {
  if (inputs["app-id"] !== undefined) return;
  const login = await asking.login();
  if (login.endsWith("[bot]")) return;
  throw new RefusedError(
    `\`commit-mode: api\` needs the token of an app, because GitHub does not sign commits made with the token of a person: \`push-token\` is that of ${login}. Set \`app-id\` and \`app-private-key\`, use the token of an app, or remove \`push-token\``,
  );
}
