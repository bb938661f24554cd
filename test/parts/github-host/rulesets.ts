import { spawnSync } from "node:child_process";
import type { GitServer } from "../git-server.ts";
import { fault, type Reply } from "./ask.ts";
import type { BranchRule } from "./extras.ts";

/**
 * Makes git refuse what the rules of the repository forbid, with GitHub's messages as of 2026-11; call the returned
 * function before each push. Source:
 * https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets
 */
export function pushGuard(git: GitServer, rules: readonly BranchRule[]): () => void {
  let written = "";
  return () => {
    // Keeps a hook that a test has installed.
    if (rules.length === 0 && written === "") return;
    const script = hookOf(rules);
    if (script !== written) git.preReceive(script);
    written = script;
  };
}

interface RefChange {
  readonly ref: string;
  /** The commit it would point to; `undefined` for a deletion. */
  readonly next: string | undefined;
  readonly login: string | undefined;
}

/**
 * GitHub's refusal of a ref update that the rules forbid; `undefined` if they allow it. Wording:
 * https://github.com/satisfactory-factories/application/issues/67
 */
export type RefGuard = (change: RefChange) => Reply | undefined;

export function apiGuard({ path, git }: GitServer, rules: readonly BranchRule[]): RefGuard {
  return ({ ref, next = zero, login = "" }) => {
    if (rules.length === 0) return undefined;
    const old = git("for-each-ref", "--format=%(objectname)", ref) || zero;
    const { status, stderr } = spawnSync("bash", ["-c", hookOf(rules)], {
      cwd: path,
      input: `${old} ${next} ${ref}\n`,
      encoding: "utf8",
      timeout: 30_000,
      env: { ...process.env, GIT_DIR: path, REMOTE_USER: login },
    });
    if (status === 0) return undefined;
    const found = [...stderr.matchAll(/^- (.*)$/gm)].map(([, rule]) => rule);
    return fault(422, `Repository rule violations found\n\n${found.join("\n")}\n\n`);
  };
}

const zero = "0".repeat(40);

const hookOf = (rules: readonly BranchRule[]) => `
zero=${zero}
isForced() { [ $old != $zero ] && [ $new != $zero ] && ! git merge-base --is-ancestor $old $new; }
unsigned() {
  for commit in $(git rev-list $new --not --all); do git cat-file commit $commit | grep -q '^gpgsig ' || echo "  $commit"; done
}
rule() {
  [[ $branch =~ $2 ]] && [[ ,$3, != *,"$REMOTE_USER",* ]] || return 0
  case $1 in
    creation) [ $old != $zero ] || echo "- Cannot create ref due to creations being restricted." ;;
    update) [ $old = $zero ] || [ $new = $zero ] || echo "- Cannot update this protected ref." ;;
    deletion) [ $new != $zero ] || echo "- Cannot delete this branch" ;;
    non_fast_forward) ! isForced || echo "- Cannot force-push to this branch" ;;
    pull_request) [ $old = $zero ] || echo "- Changes must be made through a pull request." ;;
    required_status_checks) [ $old = $zero ] || echo '- Required status check "ci" is expected.' ;;
    required_signatures)
      [ $new = $zero ] || [ -z "$(unsigned)" ] || printf -- '- Commits must have verified signatures.\\n  Found violations:\\n\\n%s\\n' "$(unsigned)" ;;
  esac
}
status=0
while read -r old new ref; do
  branch=\${ref#refs/heads/}
  [ "$branch" != "$ref" ] || continue
  found=$(
${rules.map(({ type, branches, bypass = [] }) => `    rule ${type} '${branches.source.replaceAll("\\/", "/")}' '${bypass.join()}'`).join("\n")}
  )
  [ -n "$found" ] || continue
  status=1
  printf 'error: GH013: Repository rule violations found for %s.\\nReview all repository rules at https://github.com/octocat/hello/rules?ref=%s\\n\\n%s\\n\\n' "$ref" "\${ref//\\//%2F}" "$found" >&2
done
exit $status
`;
