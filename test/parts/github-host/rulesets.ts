import type { GitServer } from "../git-server.ts";
import type { BranchRule } from "./extras.ts";

/**
 * Has git refuse what the rules of the repository forbid, in the words of GitHub, as of 2026-11; call the answer before
 * each push. What it says: https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets
 */
export function pushGuard(git: GitServer, rules: readonly BranchRule[]): () => void {
  let written = "";
  return () => {
    // A hook that a test has put there stays.
    if (rules.length === 0 && written === "") return;
    const script = hookOf(rules);
    if (script !== written) git.preReceive(script);
    written = script;
  };
}

const hookOf = (rules: readonly BranchRule[]) => `
zero=0000000000000000000000000000000000000000
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
