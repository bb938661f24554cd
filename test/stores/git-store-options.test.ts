import { expect, test } from "vitest";
import { gitStoreOptions } from "../../src/stores/git-store-options.ts";

const environment = { PATH: "/bin" };
const notice = () => undefined;
const least = {
  repository: undefined,
  privateDir: (run: string) => `/p/${run}`,
  environment,
  secrets: ["s"],
  notice,
};

test("a store without a checkout or keys knows only what it must", () => {
  const { snapshots, ...rest } = gitStoreOptions(least);
  expect(rest).toEqual({ environment, secrets: ["s"], notice });
  expect(snapshots?.("run-001")).toBe("/p/run-001/snapshots.git");
});

test.each([
  ["sha1", "sha1"],
  ["sha256", "sha256"],
  ["reftable of the future", "sha1"],
])("a store of a checkout knows its objects and their format (%s)", (objectFormat, format) => {
  const { signal: stop } = new AbortController();
  const repository = { gitDir: "/c/.git/worktrees/x", commonDir: "/c/.git", objectFormat } as never;
  const { snapshots, ...rest } = gitStoreOptions({ ...least, repository, token: "t", stateKey: "k", stop });
  expect(rest).toEqual({
    ...{ environment, secrets: ["s"], notice, token: "t", stateKey: "k", stop },
    checkout: { gitDir: "/c/.git/worktrees/x", objects: "/c/.git/objects", format },
  });
  expect(snapshots).toBeTypeOf("function");
});
