import { expect, onTestFinished, test } from "vitest";
import { isSigned, signRun } from "../../app/live-page.ts";
import { openShortCache } from "../../app/short-cache.ts";
import { linkTo } from "../../app/signed-links.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

const run = "page-run-0a1b2c3d";

test("a run has a page for people, with nothing in it that a stranger could make run", async () => {
  const { github, home } = await openAppRepository();
  const evil = "</main><script>alert(1)</script>";
  seedRun(github, { run, workflow: evil, gates: [{ question: `${evil}<img src=x onerror=alert(1)>` }] });
  const answer = await fetch(`${home.origin}/runs/octocat/hello/${run}`);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain("Waiting for you");
  expect(page).toMatch(/script-src 'nonce-[\w-]+'/);
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain("<img");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test("the page is sent what changes, and is left alone when the run has ended", async () => {
  const { github, home } = await openAppRepository();
  seedRun(github, { run, state: "ended", gates: [] });
  const answer = await fetch(`${home.origin}/runs/octocat/hello/${run}/events`);
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  expect(await answer.text()).toMatch(/^data: "[^\n]+"\n\nevent: end\n/);
});

test("many who look at a run at once cost what one of them costs", async () => {
  const { github, home } = await openAppRepository(undefined, { everyMs: 60_000 });
  seedRun(github, { run });
  const before = github.journal.length;
  const pages = Array.from({ length: 20 }, () => fetch(`${home.origin}/runs/octocat/hello/${run}`));
  for (const page of await Promise.all(pages)) expect(page.status).toBe(200);
  const asked = github.journal.slice(before).map(({ path }) => path);
  expect(asked.filter((path) => path.endsWith("/installation"))).toHaveLength(1);
  expect(asked.filter((path) => path === "/graphql")).toHaveLength(1);
});

test("two hundred may look on at once; who has nothing new is sent a sign of life", async () => {
  const { github, home } = await openAppRepository(undefined, { everyMs: 20 });
  seedRun(github, { run, state: "running", gates: [] });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const look = () => fetch(`${home.origin}/runs/octocat/hello/${run}/events`, { signal: stop.signal });
  const [one, ...others] = await Promise.all(Array.from({ length: 200 }, look));
  expect(others.filter(({ status }) => status !== 200)).toEqual([]);
  expect((await look()).status).toBe(503);
  let output = "";
  for await (const part of one?.body ?? []) {
    output += Buffer.from(part).toString();
    if (output.includes(": still here")) break;
  }
  expect(output).toMatch(/^data: /);
});

test("a private run's page is shown to who has the link, for some time", async () => {
  const { github, home } = await openAppRepository();
  seedRun(github, { run });
  await github.as("octocat", "PATCH ", { private: true });
  const place = { owner: "octocat", repo: "hello", run, isPrivate: true };
  const pages = { origin: home.origin, secret: github.app?.secret ?? "" };
  const status = async (link: string) => (await fetch(link)).status;
  expect(await status(linkTo(pages, place, Date.now()))).toBe(200);
  expect(await status(linkTo(pages, { ...place, isPrivate: false }, Date.now()))).toBe(404);
  expect(await status(linkTo(pages, place, Date.now() - 15 * 24 * 60 * 60_000))).toBe(404);
  expect(await status(linkTo({ ...pages, secret: "other" }, place, Date.now()))).toBe(404);
});

test("what is found is kept for a while, what could not be found out is not, and only so much of it", async () => {
  const remember = openShortCache<number>(60_000, 2);
  let asked = 0;
  const find = async () => ++asked;
  expect(await Promise.all([remember("a", find), remember("a", find)])).toEqual([1, 1]);
  await expect(remember("b", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await remember("b", find)).toBe(2);
  expect(await remember("c", find)).toBe(3);
  expect(await remember("a", find)).toBe(4);
  const forgetful = openShortCache<number>(0);
  expect([await forgetful("a", find), await forgetful("a", find)]).toEqual([5, 6]);
});

test("what is not there, and what is no run, is not shown", async () => {
  const { home } = await openAppRepository();
  for (const path of [
    `/runs/octocat/hello/${run}`,
    `/runs/octocat/other/${run}`,
    "/runs/octocat/hello/..%2f..%2fheads",
    `/runs/octocat/../${run}`,
    "/runs/octocat/hello/$(id)",
  ])
    expect((await fetch(home.origin + path)).status).toBe(404);
});

test("without a token its counts are closed", async () => {
  const { home } = await openAppRepository();
  const headers = { authorization: "Bearer undefined" };
  expect((await fetch(`${home.origin}/metrics`, { headers })).status).toBe(404);
});

test("metrics show that the app is alive and what it did", async () => {
  const { github, home, say } = await openAppRepository(undefined, { metricsToken: "a token" });
  seedRun(github, { run });
  await say("ada", "/workflow approve");
  expect(await (await fetch(`${home.origin}/healthz`)).text()).toBe("ok\n");
  expect((await fetch(`${home.origin}/healthz`, { method: "HEAD" })).status).toBe(200);
  const ask = (authorization: string) => fetch(`${home.origin}/metrics`, { headers: { authorization } });
  for (const wrong of ["", "Bearer", "Bearer another", "a token"])
    expect((await ask(wrong)).status).not.toBe(200);
  const metrics = await (await ask("Bearer a token")).text();
  expect(metrics).toMatch(/^until_green_deliveries_total 1$/m);
  expect(metrics).toMatch(/^until_green_delivery_seconds_count 1$/m);
  expect(metrics).toMatch(/^until_green_pending 0$/m);
  expect(metrics).toMatch(/^until_green_decisions_total 1$/m);
  expect(metrics).toMatch(/^until_green_dispatches_total 1$/m);
});

test("a link to a private run's page holds for that run, for some time, and for our key only", () => {
  const key = signRun("secret", "o/r/run", 1_000);
  expect(isSigned("secret", "o/r/run", { key, now: 999 })).toBe(true);
  expect(isSigned("secret", "o/r/run", { key, now: 1_000 })).toBe(false);
  expect(isSigned("secret", "o/r/other", { key, now: 0 })).toBe(false);
  expect(isSigned("other", "o/r/run", { key, now: 0 })).toBe(false);
  expect(isSigned("secret", "o/r/run", { key: `2000.${key.split(".")[1]}`, now: 0 })).toBe(false);
  expect(isSigned("secret", "o/r/run", { key: "", now: 0 })).toBe(false);
});
