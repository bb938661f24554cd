import nock from "nock";
import { ProbotOctokit } from "probot";
import { afterEach, beforeEach, expect, test } from "vitest";
import { redeliver } from "../../app/redeliver.ts";
import { apiOf } from "../../src/github/api.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const one = (id: number, more: object = {}) => ({
  id,
  guid: `guid-${id}`,
  delivered_at: "2026-03-01T11:00:00Z",
  status_code: 502,
  event: "issue_comment",
  ...more,
});

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

const api = () => apiOf(new ProbotOctokit({ retry: { enabled: false }, throttle: { enabled: false } }));

test("what failed and did not come through since is asked for again, once for each", async () => {
  const host = nock("https://api.github.com")
    .get("/app/hook/deliveries?per_page=100")
    .reply(200, [
      one(9, { guid: "guid-2", status_code: 200 }),
      one(8),
      one(7, { guid: "guid-8" }),
      one(6, { status_code: 202 }),
      one(5, { event: "star" }),
      one(4, { status_code: 0 }),
      one(2),
    ])
    .post("/app/hook/deliveries/8/attempts")
    .reply(202, {})
    .post("/app/hook/deliveries/4/attempts")
    .reply(202, {});
  expect(await redeliver(api(), now)).toEqual({ again: ["guid-8", "guid-4"], lost: [] });
  expect(host.isDone()).toBe(true);
});

test("pages are turned until they are too old, and what fails every time is left alone", async () => {
  const next = '<https://api.github.com/app/hook/deliveries?per_page=100&cursor=v1_77>; rel="next"';
  const host = nock("https://api.github.com")
    .get("/app/hook/deliveries?per_page=100")
    .reply(
      200,
      [1, 2, 3].map((id) => one(id, { guid: "same" })),
      { link: next },
    )
    .get("/app/hook/deliveries?per_page=100&cursor=v1_77")
    .reply(
      200,
      [...[4, 5].map((id) => one(id, { guid: "same" })), one(6, { delivered_at: "2026-02-20T11:00:00Z" })],
      { link: next },
    );
  expect(await redeliver(api(), now)).toEqual({ again: [], lost: ["same"] });
  expect(host.isDone()).toBe(true);
});

test("where the host does not answer, that is an error and nothing else", async () => {
  nock("https://api.github.com").get("/app/hook/deliveries?per_page=100").reply(403, { message: "no" });
  await expect(redeliver(api(), now)).rejects.toThrow("no");
});
