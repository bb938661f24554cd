import { expect, test } from "vitest";
import { openLookUps } from "../../app/look-ups.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

const run = "page-run-0a1b2c3d";
const invented = (at: number) => `made-up-${at.toString(16).padStart(8, "0")}`;
const hundred = Array.from({ length: 100 }, (_, at) => at);

/** The statuses of pages that are requested one after another, and the requests to GitHub that they cost. */
async function visit(
  { github, home }: Awaited<ReturnType<typeof openAppRepository>>,
  paths: readonly string[],
) {
  const before = github.journal.length;
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await fetch(`${home.origin}/runs/${path}`)).status);
  return { statuses, cost: github.journal.length - before };
}

/** An app that has shown a run's page. */
async function openVisited() {
  const app = await openAppRepository(undefined, { everyMs: 20 });
  seedRun(app.github, { run });
  expect((await visit(app, [`octocat/hello/${run}`])).statuses).toEqual([200]);
  return app;
}

test.each([
  ["runs", (at: number) => `octocat/hello/${invented(at)}`],
  ["repositories", (at: number) => `made/up${at}/${run}`],
])("pages of invented %s cost few requests, and a real run is still shown", async (_, pathOf) => {
  const app = await openVisited();
  const { statuses, cost } = await visit(app, hundred.map(pathOf));
  expect(statuses.filter((status) => status === 404)).toHaveLength(19);
  expect(statuses.filter((status) => status === 429)).toHaveLength(81);
  expect(cost).toBeLessThanOrEqual(19);
  expect((await visit(app, [`octocat/hello/${run}`])).statuses).toEqual([200]);
});

test("a page of a run that was shown is shown as it was last seen once too many were looked up", async () => {
  const look = openLookUps<number>({ forMs: 0, mostUnknown: 1, mostKnown: 2 });
  let asked = 0;
  const find = async () => ++asked;
  const answers: unknown[] = [];
  for (let at = 0; at < 5; at++) answers.push(await look("a", "group", find));
  expect(answers).toEqual([1, 2, 3, 3, 3]);
  await expect(look("b", "group", find)).rejects.toThrow();
  expect(await look("b", "another", find)).toBe(4);
});

test("a stranger's comments that name invented runs cost few requests, and beyond the limit none", async () => {
  const app = await openAppRepository(undefined, { mostCommands: 2 });
  const { github, home } = app;
  seedRun(github, { run });
  const costs: number[] = [];
  for (const at of [0, 1]) {
    const before = github.journal.length;
    await app.say("mal", `/workflow approve ${invented(at)}`);
    costs.push(github.journal.length - before);
  }
  expect(Math.max(...costs), costs.join()).toBeLessThanOrEqual(9);
  const before = github.journal.length;
  const sent = github.webhooks.sent.length;
  for (const at of [2, 3, 4])
    await github.as("mal", "POST /issues/1/comments", { body: `/workflow approve ${invented(at)}` });
  await expect.poll(() => github.webhooks.sent.length).toBeGreaterThanOrEqual(sent + 3);
  await home.app.deliveries.idle();
  const asked = github.journal.slice(before).filter(({ path }) => !path.endsWith("/issues/1/comments"));
  expect(asked.filter(({ path }) => path === "/graphql")).toEqual([]);
});
