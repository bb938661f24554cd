import { afterAll, expect, test } from "vitest";
import { git } from "../../src/git/git.ts";
import { findBranchHost, pushBranch } from "../../src/workspace/push-branch.ts";
import { type GitServer, machineOf, openGitServer } from "../parts/git-server.ts";
import { temporaryFolder } from "./playground.ts";

const servers: GitServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

/** Pushes a new branch to a host whose hook says something and refuses; returns the message of the error. */
async function refusedBy(script: string): Promise<string> {
  const server = await openGitServer();
  servers.push(server);
  server.preReceive(`${script}; exit 1`);
  const gitDir = temporaryFolder();
  await git({ cwd: gitDir, args: ["init", "--quiet", "--bare"] });
  const { out } = await git({ cwd: gitDir, args: ["mktree"], stdin: "" });
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const to = (await git({ cwd: gitDir, args: [...author, "commit-tree", out.trim(), "-m", "x"] })).out.trim();
  const environment = machineOf(server, { home: temporaryFolder(), temporary: temporaryFolder() });
  const remote = await findBranchHost({ cwd: gitDir, url: server.url, token: server.token, environment });
  const pushed = pushBranch({ gitDir, remote, branch: "work" }, { to, expected: undefined });
  return await pushed.then(
    () => "it was pushed",
    ({ message }: Error) => message,
  );
}

test("a push that a hook of the host declines keeps the host's own words", async () => {
  const message = await refusedBy("echo 'The file secrets.env is on the deny list' >&2; echo 'Ask ops.' >&2");
  expect(message).toMatch(
    /rejected the push to work: .*pre-receive hook declined.*: The file secrets\.env is on the deny list Ask ops\.$/,
  );
});

test("a push that a rule forbids keeps what the rule says, and the file", async () => {
  const message = await refusedBy(
    "printf '%s\\n' 'error: GH013: Repository rule violations found for refs/heads/work.' '- File path is restricted' 'path: deploy/key.pem' >&2",
  );
  expect(message).toContain(
    "rejected the push to work, because the repository's rules forbid it (File path is restricted path: deploy/key.pem)",
  );
});
