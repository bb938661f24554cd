import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOf, openedRun, openGitRun, stateKeyOf } from "../../../src/stores/git/open-run.ts";
import { localHost } from "../../parts/local-host.ts";

const run = "run-001";

async function open(more: Partial<Parameters<typeof openGitRun>[0]> = {}) {
  const host = localHost();
  const environment = { ...host.environment(), ...more.environment };
  const options = { remote: host.path, cwd: host.top, ...more, environment };
  return { host, options, opened: await openGitRun(options, await host.remote(), run) };
}

test("the folder of a run is its user's alone, one for each checkout and remote", async () => {
  const { options, opened, host } = await open();
  const { record } = opened;
  expect(statSync(record.dir).mode & 0o777).toBe(0o700);
  expect(record.gitDir).toBe(join(record.dir, "state.git"));
  expect(existsSync(join(record.gitDir, "HEAD"))).toBe(true);
  const key = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  const root = join(options.environment.RUNNER_TEMP, `until-green-${process.getuid?.()}`);
  expect(record.dir).toBe(join(root, key(`${host.path}\0${host.top}`), run));
  const checkout = { gitDir: "/checkout/.git", objects: "/checkout/.git/objects", format: "sha1" } as const;
  expect(folderOf({ ...options, checkout }, { name: "other" })).toBe(
    join(root, key("other\0/checkout/.git")),
  );
  expect(record).toMatchObject({
    format: "sha1",
    space: "refs/until-green",
    lines: [],
    pending: [],
    undone: [],
  });
});

test("a writer is named by its job, or by its process", async () => {
  const job = (GITHUB_RUN_ID?: string, GITHUB_RUN_ATTEMPT?: string) => ({
    environment: { GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT },
  });
  const owner = async (more: object) => (await open(more)).opened.baggage().owner;
  expect(await owner(job("77", "3"))).toBe("workflow run 77, attempt 3");
  expect(await owner(job("77"))).toBe("workflow run 77, attempt 1");
  expect(await owner(job())).toBe(`process ${process.pid} on ${hostname()}`);
});

test("a push reads the objects of the workspace's snapshots and of the checkout, if there are any", async () => {
  const checkout = { gitDir: "/c/.git", objects: "/c/.git/objects", format: "sha256" } as const;
  const snapshots = (id: string) => `/s/${id}.git`;
  const notice = () => undefined;
  const { opened } = await open({ checkout, snapshots, notice });
  expect(opened.baggage()).toMatchObject({ sources: [`/s/${run}.git/objects`, "/c/.git/objects"], notice });
  expect(opened.record.format).toBe("sha256");
  expect((await open({ checkout })).opened.baggage().sources).toEqual(["/c/.git/objects"]);
  const none = (await open({ snapshots })).opened.baggage();
  expect(none.sources).toEqual([]);
  expect(none.notice("nobody hears it")).toBeUndefined();
});

test("remote operations of a run happen one at a time, also after one that failed", async () => {
  const { alone } = (await open()).opened;
  const seen: string[] = [];
  const work = (name: string, fails: boolean) =>
    alone(async () => {
      seen.push(`${name} begins`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const ends = await Promise.allSettled([work("a", true), work("b", false), work("c", false)]);
  expect(seen).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

test("the files of a run are filled from the host, which is asked once", async () => {
  const { host, opened } = await open();
  expect(await opened.folder.filled()).toBe(join(opened.record.dir, "artifacts"));
  host.write(run);
  await opened.folder.filled();
  expect(opened.record.lines).toEqual([]);
});

test("a run is open only once it was opened, and signed only if there is a key", async () => {
  const { opened } = await open({ stateKey: "key" });
  const { repository } = opened.record.remote;
  expect(opened.record.key).toEqual({ secret: "key", repository, formerly: new Set() });
  expect(stateKeyOf({ stateKey: "" }, { repository: "r" })).toBeUndefined();
  expect(stateKeyOf({}, { repository: "r" })).toBeUndefined();
  expect(openedRun(new Map([[run, opened]]), run)).toBe(opened);
  expect(() => openedRun(new Map(), run)).toThrow(/^run run-001 is not open$/);
});
