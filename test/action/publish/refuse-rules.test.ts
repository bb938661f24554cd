import { expect, test } from "vitest";
import type { PublishContext } from "../../../action/publish/publish-context.ts";
import { refuseRules } from "../../../action/publish/refuse-rules.ts";
import { openGitHub } from "../../../src/github/client.ts";
import { openWork } from "./work-on-host.ts";

const signatures = { type: "required_signatures", branches: /^work/, ruleset: { id: 7, name: "signed" } };
const creations = { type: "creation", branches: /^work/, ruleset: { id: 8, name: "no new" } };

async function open() {
  const { host, settingOf, github } = await openWork({ users: { ann: "write" } });
  const ann = openGitHub({
    token: host.tokenOf("ann"),
    repository: host.repository,
    apiUrl: host.url,
    secondMs: 10,
  });
  const warnings: string[] = [];
  const ask = (inputs: Readonly<Record<string, string>>, opener?: typeof ann, way = "pull-request") => {
    const { job, plan, ...setting } = settingOf(inputs);
    const log = {
      ...job.log,
      annotate: ({ message }: { readonly message: string }) => warnings.push(message),
    };
    const context = { ...setting, opener, job: { ...job, log } } as unknown as PublishContext;
    return refuseRules(context, { ...plan, branch: "work/it", way: way as typeof plan.way });
  };
  return { host, github, ann, warnings, ask };
}

test("a job's own token is never exempt from a rule: the work could not be pushed", async () => {
  const { host, ask, warnings } = await open();
  await ask({});
  host.rules.push(creations);
  await expect(ask({})).rejects.toThrow(
    '`publish: pull-request` pushes to work/it, which the repository\'s rules forbid ("Restrict creations" in the ruleset no new): exclude `work/**` from it (Settings → Rules → Rulesets), or push with the `push-token` or the app of somebody on its bypass list',
  );
  await expect(ask({}, undefined, "push")).rejects.toThrow(
    /: add the account that pushes to its bypass list, or publish with `publish: pull-request`$/,
  );
  expect(warnings).toEqual([]);
});

test("signed commits are made through the API, if that is asked for", async () => {
  const { host, ask } = await open();
  host.rules.push(signatures);
  await expect(ask({})).rejects.toThrow(/"Require signed commits" .*: set `commit-mode: api`/);
  await ask({ "commit-mode": "api" });
  host.rules.push(creations);
  await expect(ask({ "commit-mode": "api" })).rejects.toThrow(
    /\("Restrict creations" in the ruleset no new\)/,
  );
});

test.each([
  ["never", /or push with a token of somebody on its bypass list$/],
  ["pull_requests_only", /rules forbid/],
])("a person who may bypass a rule %s cannot push", async (bypass, sentence) => {
  const { host, ann, ask } = await open();
  host.rules.push({ ...creations, ruleset: { ...creations.ruleset, current_user_can_bypass: bypass } });
  await expect(ask({}, ann)).rejects.toThrow(sentence);
});

test("who may bypass the rules is not stopped, and who might is warned", async () => {
  const { host, ann, ask, warnings } = await open();
  const always = { ...creations.ruleset, current_user_can_bypass: "always" };
  host.rules.push({ ...creations, ruleset: always });
  await ask({}, ann);
  expect(warnings).toEqual([]);
  host.rules.push({ ...creations, ruleset: { id: 9, name: "unknown" } });
  await ask({}, ann);
  expect(warnings).toEqual([
    expect.stringMatching(
      /"Restrict creations" in the ruleset unknown\), unless the token may bypass them\. If/,
    ),
  ]);
  // What GitHub says of exemptions concerns people, not apps.
  host.rules.length = 0;
  host.rules.push({ ...creations, ruleset: { ...creations.ruleset, current_user_can_bypass: "never" } });
  await ask({ "app-id": "1", "app-private-key": "k" }, ann);
  expect(warnings).toHaveLength(2);
});

test("GitHub signs no commits of a person", async () => {
  const { ann, ask } = await open();
  await expect(ask({ "commit-mode": "api" }, ann)).rejects.toThrow("`push-token` is that of ann");
  await ask({ "commit-mode": "api", "app-id": "1", "app-private-key": "k" }, ann);
});

test("rules that cannot be read stop nothing", async () => {
  const { host, ask } = await open();
  host.rules.push(creations);
  host.fault(/\/rules\/branches\//, { status: 502 });
  await expect(ask({})).resolves.toBeUndefined();
});
