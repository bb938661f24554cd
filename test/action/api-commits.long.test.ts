import { expect, onTestFinished, test } from "vitest";
import { type GitHubHost, openGitHubHost } from "../parts/github-host/host.ts";
import { commitOn, useOnHost } from "./source.ts";

const branch = "until-green/inline";
const rule = { type: "required_signatures", branches: /./, ruleset: { id: 7, name: "signed" } };
const loop = {
  prompt: "Go",
  "until-bash": "grep -qx green state.txt",
  "max-iterations": "2",
  comment: "none",
  "check-run": "false",
  publish: "pull-request",
  signoff: "true",
};

async function open(): Promise<GitHubHost> {
  const host = await openGitHubHost({
    files: { "state.txt": "red\n", "old.txt": "o\n", "src/a.txt": "a\n" },
  });
  onTestFinished(() => host.close());
  return host;
}

const isSigned = (host: GitHubHost) =>
  host.git
    .git("rev-list", `main..${branch}`)
    .split("\n")
    .map((commit) => /^gpgsig /m.test(host.git.git("cat-file", "commit", commit)));

test("commits made through the API are signed, hold every kind of file, and are replaced as our own", async () => {
  const host = await open();
  host.rules.push(rule);
  const night = (work: string) =>
    useOnHost({ host, inputs: { ...loop, "commit-mode": "api", squash: "false", "agent-command": work } });
  const first = `if [ -e new.sh ]; then printf 'a\\377' > bin; ln -s new.sh link; rm old.txt; else
    echo 'echo new' > new.sh; chmod +x new.sh; echo ü > 'src/ü b.txt'; fi; echo tried`;
  const red = await night(first);
  expect(red.outputs, red.log.join("\n")).toMatchObject({ conclusion: "failure", branch });
  expect(isSigned(host)).toEqual([true, true]);
  expect(host.git.git("ls-tree", "-r", branch).replace(/\w{40}\t/g, "")).toBe(
    [
      "100644 blob bin",
      "120000 blob link",
      "100755 blob new.sh",
      "100644 blob src/a.txt",
      '100644 blob "src/\\303\\274 b.txt"',
      "100644 blob state.txt",
    ].join("\n"),
  );
  expect(host.git.git("log", "-1", "--format=%an %cn%n%B", branch)).toMatch(
    /^github-actions\[bot\] GitHub\n.*\nSigned-off-by: github-actions\[bot\] <\d+\+github-actions\[bot\]@users/s,
  );
  await commitOn(host, "main", { "other.txt": "o\n" });
  const green = await night("echo green > state.txt; echo done");
  expect(green.outputs, green.log.join("\n")).toMatchObject({ conclusion: "success", branch });
  expect(host.git.git("show", `${branch}:state.txt`)).toBe("green");
  expect(host.git.git("merge-base", "main", branch)).toBe(host.git.git("rev-parse", "main"));
  expect(isSigned(host)).not.toContain(false);
  expect(await host.as("octocat", "GET /pulls/1")).toMatchObject({ state: "open", draft: false });
});

test("what GitHub would not sign, and a rule that requires signatures, are reported before an agent is called", async () => {
  const host = await open();
  host.rules.push({ ...rule, ruleset: { ...rule.ruleset, current_user_can_bypass: "never" } });
  const inputs = { ...loop, "agent-command": "echo green > state.txt" };
  const unsigned = await useOnHost({ host, inputs });
  expect(unsigned.outputs).toMatchObject({ conclusion: "failure", "run-id": "" });
  expect(unsigned.log.join("\n")).toMatch(/Require signed commits.*set `commit-mode: api`/);
  const byPerson = { ...inputs, "commit-mode": "api", "push-token": host.tokenOf("octocat") };
  const refused = await useOnHost({ host, inputs: byPerson });
  expect(refused.outputs).toMatchObject({ conclusion: "failure", "run-id": "" });
  expect(refused.log.join("\n")).toContain("`push-token` is that of octocat");
  expect(host.git.git("for-each-ref", "refs/heads", "--format=%(refname)")).toBe("refs/heads/main");
});

test("commits have the author that the job names, who signs them off, and are still replaced", async () => {
  const host = await open();
  const ann = "Ann Ö <ann@example.com>";
  for (const command of ["echo nearly > state.txt; echo x", "echo green > state.txt; echo x"]) {
    await useOnHost({ host, inputs: { ...loop, author: ann, "agent-command": command } });
    expect(host.git.git("log", "-1", "--format=%an <%ae>, %cn%n%B", branch)).toMatch(
      /^Ann Ö <ann@example.com>, until-green\n.*^Signed-off-by: Ann Ö <ann@example.com>$/ms,
    );
    expect(host.git.git("rev-list", "--count", `main..${branch}`)).toBe("1");
  }
  expect(host.git.git("show", `${branch}:state.txt`)).toBe("green");
});

test("a name that is not UTF-8 is pushed as it is, and the API refuses it before anything is sent", async () => {
  const host = await open();
  const command = `if [ -e first ]; then echo green > state.txt; printf x > $'caf\\xe9'; else touch first; fi; echo x`;
  const inputs = { ...loop, squash: "false", "agent-command": command };
  const refused = await useOnHost({ host, inputs: { ...inputs, "commit-mode": "api" } });
  expect(refused.outputs).toMatchObject({ conclusion: "failure" });
  expect(refused.log.join("\n")).toContain(
    "`commit-mode: api` cannot publish caf\ufffd: GitHub's API accepts only UTF-8 names, so nothing was published; rename it, or remove `commit-mode`",
  );
  const sent = host.journal.filter(({ body }) => JSON.stringify(body ?? "").includes('"path":"first"'));
  expect(sent).toEqual([]);
  expect(host.git.git("for-each-ref", "refs/heads", "--format=%(refname)")).toBe("refs/heads/main");
  const pushed = await useOnHost({ host, inputs });
  expect(pushed.outputs, pushed.log.join("\n")).toMatchObject({ conclusion: "success", branch });
  expect(host.git.git("ls-tree", "--name-only", branch)).toContain('"caf\\351"');
});
