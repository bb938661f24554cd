import { expect, test, vi } from "vitest";
import { keepAttempt } from "../../../action/publish/keep-attempt.ts";
import { openWork, red } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

async function open() {
  const { host, site, workOf, settingOf } = await openWork();
  await host.as("octocat", "POST /issues", { title: "The pull request" });
  const work = await workOf({ "state.txt": "tried\n" });
  const keep = (run: string, pull?: number) =>
    keepAttempt(
      {
        work: { ...work, summary: { ...red, run } },
        commit: work.final,
        because: "it is worse",
        pull: pull === undefined ? undefined : { number: pull },
      },
      settingOf({}, { plan: { branch: "fix--it" } }),
    );
  const comments = async () => {
    const all: readonly { readonly body: string }[] = await host.as("octocat", "GET /issues/1/comments");
    return all.map(({ body }) => body);
  };
  return { host, site, work, keep, comments };
}

test("one comment lists the last ten attempts, each once", async () => {
  const { host, site, work, keep, comments } = await open();
  // HTML comments end at two hyphens.
  const marker = "<!-- until-green attempts fixit -->";
  const before = Array.from({ length: 9 }, (_, at) => `- Run \`r${at}\` (old): old`);
  await host.as("github-actions[bot]", "POST /issues/1/comments", { body: [marker, ...before].join("\n") });
  for (const run of ["r4", "r9", "r10"]) await keep(run, 1);
  const all = await comments();
  expect(all).toHaveLength(1);
  expect(all[0]).toMatch(
    /^<!-- until-green attempts fixit -->\nLater attempts that did not replace the work in this pull request:\n\n- Run/,
  );
  expect(all[0]?.match(/(?<=^- Run `)r\d+/gm)).toEqual([
    ...["r1", "r2", "r3", "r5", "r6", "r7", "r8"],
    ...["r4", "r9", "r10"],
  ]);
  expect(all[0]?.split("\n").at(-1)).toBe(
    `- Run \`r10\` (the iteration limit was reached): it is worse. [Its work](${host.origin}/${host.repository}/compare/${work.base}...${work.final}) · [its job](${site.job})`,
  );
});

test("work that no pull request shows is kept, also if the conversation is locked", async () => {
  const { host, work, keep, comments } = await open();
  const notice = (run: string) =>
    `not published, as it is worse; the work is kept in refs/until-green/${run}/attempt (${work.final.slice(0, 12)})`;
  expect(await keep("r1")).toBe(notice("r1"));
  host.fault(/^POST .*\/comments$/, { status: 403, message: "locked" });
  expect(await keep("r2", 1)).toMatch(
    new RegExp(`^${notice("r2").replace(/[()]/g, "\\$&")}\\. Pull request #1 does not link it: .*locked`),
  );
  expect(await comments()).toEqual([]);
  for (const run of ["r1", "r2"])
    expect(host.git.git("rev-parse", `refs/until-green/${run}/attempt`)).toBe(work.final);
});
