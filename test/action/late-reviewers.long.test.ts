import { expect, test } from "vitest";
import { annotationsOf } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost } from "./source.ts";

const people = ["/requested_reviewers", "/labels"];

test("what GitHub refused a new pull request is asked for again by the next attempt, and the rest only once", async () => {
  const host = await openRepository({
    files: { "a.txt": "red\n", "b.txt": "red\n", "c.txt": "red\n" },
    users: { bea: "write" },
  });
  const night = async (file: string) => {
    const before = host.journal.length;
    const result = await useOnHost({
      host,
      inputs: {
        prompt: "Go",
        "until-bash": "! grep -qx red *.txt",
        "max-iterations": "1",
        "agent-command": `echo green > ${file}; echo done`,
        publish: "pull-request",
        reviewers: "bea",
        labels: "bot",
      },
      event: "schedule",
    });
    const asked = host.journal.slice(before).filter(({ method }) => method === "POST");
    const body: string = (await host.as("octocat", "GET /pulls/1")).body;
    return {
      notices: annotationsOf(result, "notice").map(({ message }) => message),
      asked: people.map((what) => asked.filter(({ path }) => path.endsWith(what)).length),
      says: /<!-- until-green refused: .* -->/.exec(body)?.[0],
      log: result.log.join("\n"),
    };
  };
  const message = "Reviews may only be requested from collaborators.";
  host.fault(/^POST .*\/requested_reviewers$/, { status: 422, message }, 1);
  const first = await night("a.txt");
  expect(first, first.log).toMatchObject({
    asked: [1, 1],
    says: "<!-- until-green refused: reviewers -->",
    notices: expect.arrayContaining([expect.stringContaining("the reviewers were not requested")]),
  });
  const second = await night("b.txt");
  expect(second, second.log).toMatchObject({ asked: [1, 0], says: undefined });
  const third = await night("c.txt");
  expect(third, third.log).toMatchObject({ asked: [0, 0], says: undefined });
  const requests = host.journal.filter(({ path }) => path.endsWith("/requested_reviewers"));
  expect(requests.map(({ status, body }) => [status < 300, body.reviewers])).toEqual([
    [false, ["bea"]],
    [true, ["bea"]],
  ]);
}, 240_000);
