import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { writeLogCommit } from "../../src/stores/git/commit-log.ts";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { openClone, openHost } from "../parts/clones.ts";

const count = 1_000;

test("the status of a thousand runs is read with six requests, and damaged ones are undefined", async () => {
  const server = await openHost({ "a.txt": "a\n" });
  const refs = Array.from({ length: count }, (_, at) => {
    const run = `survey-${String(at).padStart(4, "0")}`;
    const { id } = writeLogCommit(server.path, "sha1", {
      before: undefined,
      lines: ["{}"],
      run,
      epoch: 1,
      nonce: run.padEnd(32, "-"),
      owner: "a job",
      at: new Date(at * 1_000).toISOString(),
      work: undefined,
      artifacts: undefined,
      sessions: undefined,
      status: { at },
      key: undefined,
    });
    return `update refs/until-green/${run}/state ${id}\n`;
  });
  execFileSync("git", ["-C", server.path, "update-ref", "--stdin"], { input: refs.join("") });
  server.git("update-ref", "refs/until-green/survey-0007/state", "main");
  const clone = await openClone(server, { depth: 1 });
  const environment = {
    ...process.env,
    RUNNER_TEMP: `${clone.path}/..`,
    GITHUB_SERVER_URL: server.origin,
    GITHUB_TOKEN: server.token,
  };
  const store = gitRefStore({ remote: server.url, cwd: clone.path, environment });
  const before = server.seen.length;
  const found = await store.survey?.();
  expect(server.seen.length - before).toBeLessThanOrEqual(6);
  const numbers = Array.from({ length: count }, (_, at) => (at === 7 ? undefined : { at }));
  expect(found?.toSorted((a, b) => (JSON.stringify(a ?? "") < JSON.stringify(b ?? "") ? -1 : 1))).toEqual(
    numbers.toSorted((a, b) => (JSON.stringify(a ?? "") < JSON.stringify(b ?? "") ? -1 : 1)),
  );
});
