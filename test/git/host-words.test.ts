import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { refusalIn } from "../../src/git/host-words.ts";

const remote = (...lines: string[]) => lines.map((line) => `remote: ${line}`).join("\n");

const protection = remote(
  "error: GH013: Repository rule violations found for refs/heads/work.",
  "",
  "- GITHUB PUSH PROTECTION",
  "  —————————————————————————————————————————",
  "    Resolve the following violations before pushing again",
  "",
  "    - Push cannot contain secrets",
  "",
  "     (?) Learn how to resolve a blocked push",
  "     https://docs.github.com/code-security/secret-scanning/resolving-a-blocked-push",
  "",
  "      —— GitHub Personal Access Token ——————————————————————",
  "       locations:",
  "         - commit: 8728dbe67",
  "           path: config/a.env:4",
  "",
  "       (?) To push, remove secret from commit(s) or follow this URL to allow the secret.",
  "       https://github.com/octocat/hello/security/secret-scanning/unblock-secret/2abc",
  "",
  "      —— Amazon AWS Access Key ID ————————————————",
  "       locations:",
  "         - commit: 8728dbe67",
  "           path: b.py:1",
);

/** What hosts say, why that is, the remedy, and the words by which the troubleshooting page lists it. */
const cases: readonly (readonly [name: string, says: string, why: string, remedy: string, listed: string])[] =
  [
    [
      "push protection",
      protection,
      "push protection found a secret (GitHub Personal Access Token in config/a.env:4; Amazon AWS Access Key ID in b.py:1)",
      "remove it from the file and revoke it; or, if it is none, allow it at https://github.com/octocat/hello/security/secret-scanning/unblock-secret/2abc and run again",
      "push protection found a secret",
    ],
    [
      "a ruleset",
      remote(
        "error: GH013: Repository rule violations found for refs/heads/work.",
        "Review all repository rules at https://github.com/octocat/hello/rules?ref=refs%2Fheads%2Fwork",
        "",
        "- Changes must be made through a pull request.",
      ),
      "the repository's rules forbid it (Changes must be made through a pull request.)",
      "exclude `work` from them (Settings → Rules → Rulesets), or give a `push-token` of somebody on their bypass list",
      "the repository's rules forbid it",
    ],
    [
      "a protected branch",
      remote(
        "error: GH006: Protected branch update failed for refs/heads/main.",
        'error: Required status check "test" is expected.',
      ),
      'the repository\'s rules forbid it (Required status check "test" is expected.)',
      "publish with `publish: pull-request`, or let the account that pushes bypass the protection (Settings → Branches)",
      "the repository's rules forbid it",
    ],
    [
      "Git LFS",
      remote(
        "error: GH008: Your push referenced at least 1 unknown Git LFS object:",
        "    4d7a2146",
        "Try to push them with 'git lfs push --all'.",
      ),
      "a file is stored by Git LFS, and its content was not uploaded",
      "list it in .gitignore, or take it out of .gitattributes: until-green does not upload what Git LFS stores",
      "its content was not uploaded",
    ],
    [
      "the quota of Git LFS",
      "batch response: This repository is over its data quota. Account responsible for LFS bandwidth should purchase more data packs to restore access.",
      "the account's quota for Git LFS is used up",
      "raise it (the owner's Settings → Billing), or list the file in .gitignore",
      "quota for Git LFS is used up",
    ],
    [
      "a large file",
      remote(
        "warning: See https://gh.io/lfs for more information.",
        "error: File data/big.bin is 123.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
        "error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.",
      ),
      "data/big.bin has 123.00 MB, and the limit is 100.00 MB",
      "list it in .gitignore, or make it smaller",
      "and the limit is",
    ],
    [
      "a large push",
      remote("fatal: pack exceeds maximum allowed size (2.00 GiB)"),
      "the push is larger than the host accepts",
      "list large files in .gitignore; a proxy before the host may have a limit of its own",
      "larger than the host accepts",
    ],
    [
      "a proxy with a limit",
      "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413",
      "the push is larger than the host accepts",
      "list large files in .gitignore; a proxy before the host may have a limit of its own",
      "larger than the host accepts",
    ],
    [
      "a private address",
      remote("error: GH007: Your push would publish a private email address."),
      "a commit has an email address that its owner keeps private",
      "use the address that ends in @users.noreply.github.com, or allow it (the owner's Settings → Emails)",
      "an email address that its owner keeps private",
    ],
    [
      "a shallow history",
      "! [remote rejected] 1a2b -> work (shallow update not allowed)",
      "the checkout lacks history that the host no longer has",
      "check out with `fetch-depth: 0`",
      "lacks history that the host no longer has",
    ],
    [
      "a read-only deploy key",
      "ERROR: The key you are authenticating with has been marked as read only.\nfatal: Could not read from remote repository.",
      "this deploy key may only read",
      "add it again with write access (Settings → Deploy keys), or use another key",
      "this deploy key may only read",
    ],
    [
      "single sign-on",
      remote(
        "The 'octo-org' organization has enabled or enforced SAML SSO. To access",
        "this repository, visit https://github.com/orgs/octo-org/sso?authorization_request=A1 and try your request again.",
      ),
      "octo-org requires single sign-on for this token or key",
      "authorize it for the organization with **Configure SSO** (https://github.com/orgs/octo-org/sso?authorization_request=A1)",
      "requires single sign-on",
    ],
    [
      "an IP allow list",
      remote(
        "The 'octo-org' organization has an IP allow list enabled, and your IP address is not permitted to access this repository.",
      ),
      "octo-org accepts no requests from the address of this machine",
      "use a runner whose address is on the organization's IP allow list",
      "no requests from the address of this machine",
    ],
    [
      "a workflow file",
      "! [remote rejected] x -> work (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)",
      "this token may not change workflow files (.github/workflows/ci.yml)",
      "give a token that may as `push-token`: with the scope `workflow`, or the permission `workflows`",
      "may not change workflow files",
    ],
    [
      "an archived repository",
      remote("This repository was archived so it is read-only."),
      "the repository is archived",
      "unarchive it",
      "is archived",
    ],
    [
      "a branch in the way",
      remote(
        "error: cannot lock ref 'refs/heads/until-green/a': 'refs/heads/until-green' exists; cannot create 'refs/heads/until-green/a'",
      ),
      "the branch until-green exists, so there can be none with the name until-green/a",
      "rename or delete that branch, or set `branch`",
      "so there can be none with the name",
    ],
  ];

test.each(cases)("%s: a refusal has a reason and a remedy", (...[, says, why, remedy]) => {
  expect(refusalIn(says, "work")).toEqual({ why, remedy });
});

describe("the troubleshooting page", () => {
  const page = readFileSync("docs/troubleshooting.md", "utf8");
  test.each(cases)("lists %s", (...[, , , , listed]) => {
    expect(page).toContain(listed);
  });
});

test.each([
  "fatal: unable to access 'https://github.com/': Could not resolve host: github.com",
  "remote: Internal Server Error",
  "! [remote rejected] x -> work (failed to update ref)",
  "remote: Permission to octocat/hello.git denied to github-actions[bot].\nfatal: The requested URL returned error: 403",
])("%j may pass, or has another remedy", (text) => {
  expect(refusalIn(text)).toBeUndefined();
});
