import { expect, test } from "vitest";
import type { Rules } from "../../src/issue-ops/config.ts";
import { mayCommand, mayDecide } from "../../src/issue-ops/permissions.ts";
import type { RepositoryContext } from "../../src/issue-ops/repository-context.ts";

/** A repository in which everybody may read. */
const site = { role: async () => "read", count: () => undefined } as unknown as RepositoryContext;
const rules = (given: Partial<Rules>) =>
  ({ users: [], bots: [], teams: [], approvers: [], permission: "write", ...given }) as Rules;
const may = (login: string, given: Partial<Rules>, author = "bob") =>
  mayDecide(site, rules(given), { login, author });

test("logins are compared without case, wherever people write them", async () => {
  expect(await may("Ada", { excludeAuthor: true }, "ada")).toMatch(/author of a pull request may not decide/);
  expect(await may("Ada", { excludeAuthor: true }, "bob")).toBeUndefined();
  expect(await may("ada", { approvers: ["ADA"] })).toBeUndefined();
  expect(await may("eve", { approvers: ["ADA"] })).toMatch(/only the approvers/);
  expect(await mayCommand(site, rules({ users: ["ADA"] }), "ada")).toBeUndefined();
  expect(await mayCommand(site, rules({ bots: ["Our-Bot[bot]"] }), "our-bot[bot]")).toBeUndefined();
});

test("who has too little permission may not command, and neither may anybody while it cannot be checked", async () => {
  expect(await mayCommand(site, rules({}), "ada")).toBe(
    "this needs the permission `write` in the repository",
  );
  expect(await mayCommand(site, rules({ permission: "read" }), "ada")).toBeUndefined();
  let faults = 0;
  const away = {
    role: () => Promise.reject(new Error("502")),
    count: () => (faults += 1),
  } as unknown as RepositoryContext;
  expect(await mayCommand(away, rules({ permission: "read" }), "ada")).toMatch(/could not be checked/);
  expect(faults).toBe(1);
});
