import { expect, test } from "vitest";
import { annotationsOf } from "./checkout.ts";
import { openRepository } from "./github-job.ts";
import { useOnHost } from "./source.ts";

test("on GitHub Enterprise Server a red night, a green one and one with nothing to do end as on github.com", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n", "b.txt": "red\n" }, enterprise: true });
  const night = async (work: string) =>
    await useOnHost({
      host,
      inputs: {
        prompt: "Go",
        "until-bash": "! grep -qx red *.txt",
        "max-iterations": "1",
        "agent-command": `${work}; echo done`,
        publish: "pull-request",
        "check-run": "true",
        "failure-issue": "1",
        "until-reviews": "true",
      },
      event: "schedule",
    });
  const red = await night("echo green > a.txt");
  expect(red.outputs, red.log.join("\n")).toMatchObject({
    conclusion: "failure",
    "pull-request-number": "1",
  });
  expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ draft: true });
  const green = await night("echo green > b.txt");
  expect(green.outputs, green.log.join("\n")).toMatchObject({
    conclusion: "success",
    "pull-request-number": "1",
  });
  // Only GraphQL says that a draft is ready.
  expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ draft: false });
  expect(host.journal.some(({ path, status }) => path === "/graphql" && status === 200)).toBe(true);
  host.reviews.set("bea", "APPROVED");
  const nothing = await night("exit 9");
  expect(nothing.outputs, nothing.log.join("\n")).toMatchObject({ conclusion: "skipped" });
  expect(annotationsOf(nothing, "notice")[0]?.message).toContain("pull request #1 is green");
  expect(host.journal.filter(({ path }) => path.includes("not-of-this-server"))).toEqual([]);
}, 240_000);
