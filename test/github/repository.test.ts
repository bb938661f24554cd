import { expect, test } from "vitest";
import type { GitHub } from "../../src/github/client.ts";
import { readRepositoryFacts } from "../../src/github/repository.ts";

test.each([
  // Of an app's token GitHub says so, whatever the app may do.
  [{ admin: false, maintain: false, push: false, triage: false, pull: false }, undefined],
  [{ admin: false, push: false, pull: true }, false],
  [{ admin: false, push: true, pull: true }, true],
  [undefined, undefined],
])("the permissions %j of a token mean that it may push: %s", async (permissions, mayPush) => {
  const data = { default_branch: "main", permissions };
  const github = { at: { owner: "o", repo: "r" }, request: async () => ({ data }) } as unknown as GitHub;
  expect(await readRepositoryFacts(github)).toEqual({ defaultBranch: "main", mayPush });
});
