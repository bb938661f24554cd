import { expect, test, vi } from "vitest";
import { publishWork } from "../../../action/publish/publish.ts";
import { openWork, red } from "./work-on-host.ts";

vi.setConfig({ testTimeout: 60_000 });

const isGreen = { "state.txt": "green\n" };
type Host = Awaited<ReturnType<typeof openWork>>["host"];
const pullOf = (host: Host, number = 1) => host.as("octocat", `GET /pulls/${number}`);

test("a pull request is a draft as the job says, or else while work is missing", async () => {
  const { host, workOf, settingOf } = await openWork();
  const work = await workOf(isGreen);
  const cases = [
    [work, "true", true],
    [{ ...work, summary: red }, "false", false],
    [{ ...work, missing: ["item 2"] }, "auto", true],
  ] as const;
  for (const [at, [work, draft, isDraft]] of cases.entries()) {
    const published = await publishWork(work, settingOf({ draft }, { plan: { branch: `work-${at}` } }));
    expect((await pullOf(host, published?.pull?.number)).draft, `${at}`).toBe(isDraft);
  }
});

test("a repository without drafts gets a pull request, with a notice", async () => {
  const { host, workOf, settingOf } = await openWork();
  const work = await workOf(isGreen, { summary: red });
  host.fault(/^POST .*\/pulls$/, { status: 422, message: "Validation Failed" }, 1);
  await expect(publishWork(work, settingOf())).rejects.toThrow("Validation Failed");
  const message = "Draft pull requests are not supported in this repository.";
  host.fault(/^POST .*\/pulls$/, { status: 422, message }, 1);
  const published = await publishWork(work, settingOf());
  expect(published?.notices).toEqual([
    "this repository has no draft pull requests, so this one looks ready, although it is not",
  ]);
  expect((await pullOf(host)).draft).toBe(false);
});

test("a pull request whose creation got no answer is found, and not opened again", async () => {
  const { host, workOf, settingOf } = await openWork();
  host.fault(/^POST .*\/pulls$/, { drop: true }, 1);
  const published = await publishWork(await workOf(isGreen), settingOf({ labels: "loop" }));
  expect(published?.pull?.number).toBe(1);
  expect(await host.as("octocat", "GET /pulls?state=all")).toHaveLength(1);
  expect((await host.as("octocat", "GET /issues/1")).labels).toMatchObject([{ name: "loop" }]);
});

test.each([
  ["labels", /\/labels$/, "the labels were not set: ", 403],
  ["reviewers", /\/requested_reviewers$/, "the reviewers were not requested: ", 422],
  ["assignees", /\/assignees$/, "nobody was assigned: ", 404],
])(
  "GitHub's refusal of the %s does not stop the others, and only they are tried again",
  async (...[, route, sentence, status]) => {
    const { host, workOf, settingOf } = await openWork({ users: { ann: "write", bob: "write" } });
    const setting = settingOf({
      labels: "loop",
      reviewers: "ann",
      "team-reviewers": "core",
      assignees: "bob",
    });
    const asks = () =>
      host.journal.filter(({ path }) => /\/(labels|requested_reviewers|assignees)$/.test(path));
    host.fault(route, { status, message: "No." }, 1);
    // The emulator knows no teams and no assignees.
    host.fault(/^POST .*\/(requested_reviewers|assignees)$/, { status: 201 });
    const first = await publishWork(await workOf(isGreen), setting);
    expect(first?.notices).toEqual([expect.stringMatching(new RegExp(`^${sentence}.*No\\.`))]);
    expect(asks().map(({ body }) => body)).toEqual([
      expect.objectContaining({ labels: ["loop"] }),
      expect.objectContaining({ reviewers: ["ann"], team_reviewers: ["core"] }),
      expect.objectContaining({ assignees: ["bob"] }),
    ]);
    const second = await publishWork(await workOf({ "state.txt": "greener\n" }), setting);
    expect(second?.notices).toEqual([]);
    expect(asks()).toHaveLength(4);
    expect(asks().at(-1)?.path).toMatch(route);
    await publishWork(await workOf(isGreen), setting);
    expect(asks()).toHaveLength(4);
  },
);
