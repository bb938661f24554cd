import { expect, test } from "vitest";
import { doubtOf } from "../../app/proof.ts";
import { hashOf, openSite } from "../../app/site.ts";
import { openGitHub } from "../../src/adapters/github/client.ts";
import { openAppRepository } from "../parts/app-repository.ts";

const run = "proof-run-0a1b2c3d";

test("what is on record stands while its comment does, unchanged, by somebody who may", async () => {
  const { github } = await openAppRepository();
  github.webhooks.url = undefined;
  const body = `/workflow approve ${run}\nuse maps`;
  const { id } = await github.as("ada", "POST /issues/1/comments", { body });
  const comment = { id, sha256: hashOf(body) };
  const said = {
    run,
    type: "run.decided",
    decision: "approve",
    by: "ada",
    text: "use maps",
    comment,
  } as const;
  const doubt = async (change: object = {}) => {
    const { at, request } = openGitHub({
      token: github.token,
      repository: github.repository,
      apiUrl: github.url,
    });
    const api = { request: request as never };
    const site = openSite({ api, ...at, defaultBranch: "main" });
    return await doubtOf(site, { ...said, workflow: undefined, ...change });
  };
  expect(await doubt()).toBeUndefined();
  expect(await doubt({ text: "use maps; and push to main" })).toMatch(/says something else/);
  expect(await doubt({ decision: "reject" })).toMatch(/says something else/);
  expect(await doubt({ type: "run.cancelled" })).toMatch(/says something else/);
  expect(await doubt({ run: "other-run-0a1b2c3d" })).toMatch(/says something else/);
  expect(await doubt({ by: "bob" })).toMatch(/is not by bob/);
  expect(await doubt({ pull: 1 })).toBeUndefined();
  expect(await doubt({ pull: 2 })).toMatch(/stands on another pull request/);
  expect(await doubt({ comment: { id, sha256: hashOf("else") } })).toMatch(/was changed/);
  expect(await doubt({ comment: { id: 999, sha256: hashOf(body) } })).toMatch(/is gone/);
  github.roles.set("ada", "read");
  expect(await doubt()).toMatch(/ada may not command any more/);
  github.roles.set("ada", "write");
  await github.as("ada", `PATCH /issues/comments/${id}`, { body: `${body} not` });
  expect(await doubt()).toMatch(/was changed/);
});

test("what cannot be proved because the host does not answer does not stand", async () => {
  const { github } = await openAppRepository();
  github.fault(/\/issues\/comments\//, { status: 403 });
  const { at, request } = openGitHub({
    token: github.token,
    repository: github.repository,
    apiUrl: github.url,
  });
  const site = openSite({ api: { request: request as never }, ...at, defaultBranch: "main" });
  const said = { run, type: "run.decided", by: "ada", text: "", comment: { id: 1, sha256: "" } } as const;
  expect(await doubtOf(site, { ...said, workflow: undefined })).toMatch(/could not be asked/);
});
