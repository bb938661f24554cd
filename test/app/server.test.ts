import { expect, test } from "vitest";
import { isSigned, signRun } from "../../app/page.ts";
import { openAppRepository, seedRun } from "../parts/app-repository.ts";

const run = "page-run-0a1b2c3d";

test("a run has a page for people, with nothing in it that a stranger could make run", async () => {
  const { github, home } = await openAppRepository();
  const evil = "</main><script>alert(1)</script>";
  seedRun(github, { run, workflow: evil, gates: [{ message: `${evil}<img src=x onerror=alert(1)>` }] });
  const answer = await fetch(`${home.origin}/runs/octocat/hello/${run}`);
  const page = await answer.text();
  expect(answer.status).toBe(200);
  expect(page).toContain("Waiting for a person");
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

test("whoever watches the app sees that it lives and what it did", async () => {
  const { github, home, say } = await openAppRepository();
  seedRun(github, { run });
  await say("ada", "/workflow approve");
  expect(await (await fetch(`${home.origin}/healthz`)).text()).toBe("ok\n");
  const metrics = await (await fetch(`${home.origin}/metrics`)).text();
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
