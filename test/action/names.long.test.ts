import { expect, test } from "vitest";
import { openRepository } from "./github-job.ts";
import { commitOn, pullOn, useOnHost } from "./source.ts";

const inputs = {
  prompt: "Go",
  "until-bash": "grep -q green *.txt",
  "agent-command": "echo green > a.txt; echo ok",
};

test.each(["feat/機能追加", "ветка/é", "fix/#1+a@b", "emoji/🟢"])(
  "work is pushed to a branch %s, and published as a pull request of it",
  async (branch) => {
    const host = await openRepository({ files: { "a.txt": "red\n" } });
    const result = await useOnHost({
      host,
      inputs: { ...inputs, publish: "pull-request", branch },
      event: "schedule",
    });
    expect(result.outputs, result.log.join("\n")).toMatchObject({
      conclusion: "success",
      branch,
      "pull-request-number": "1",
    });
    expect(host.git.git("show", `refs/heads/${branch}:a.txt`)).toBe("green");
  },
);

test("work is pushed to the head of a pull request with a name in another script", async () => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  await commitOn(host, "機能/追加", { "a.txt": "red again\n" });
  const { payload } = await pullOn(host, "機能/追加");
  const result = await useOnHost({
    host,
    ref: "機能/追加",
    event: "pull_request",
    payload,
    inputs: { ...inputs, publish: "push" },
  });
  expect(result.outputs, result.log.join("\n")).toMatchObject({ conclusion: "success", branch: "機能/追加" });
  expect(host.git.git("show", "refs/heads/機能/追加:a.txt")).toBe("green");
});

test.each([
  ["until-green", undefined],
  ["until-green/inline/part", undefined],
  ["a", "a/b"],
])("a branch %s in the way of the work's branch is found before the agent works", async (there, branch) => {
  const host = await openRepository({ files: { "a.txt": "red\n" } });
  await commitOn(host, there, { "b.txt": "b\n" });
  const result = await useOnHost({
    host,
    inputs: { ...inputs, publish: "pull-request", ...(branch === undefined ? {} : { branch }) },
    event: "schedule",
  });
  expect(result.outputs["iterations"] ?? "0").toMatch(/^0?$/);
  expect(result.annotations.map(({ message }) => message).join("\n")).toContain(
    `the branch ${there} exists, so there can be none with the name ${branch ?? "until-green/inline"}: rename or delete it, or set another \`branch\``,
  );
});
