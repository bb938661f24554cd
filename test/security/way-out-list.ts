import { connectTo } from "./escape-list.ts";
import { planted } from "./escape-scene.ts";

/** An attempt to get out of the walls. Each part is bash; whoever prints the planted text has got out. */
export interface WayOut {
  /** What lies on the machine before the run; run outside by the same user, in the checkout. */
  readonly before?: string;
  /** What the agent does. */
  readonly agent: string;
  /** What somebody outside does while the agent works. */
  readonly during?: string;
  /** What somebody outside does after the run. */
  readonly after?: string;
}

const says = `echo 'echo ${planted} >&2'`;
const put = (path: string, text = planted) =>
  `mkdir -p "$(dirname ${path})"; printf '%s\\n' '${text}' > ${path}`;
const temp = "$HOME/runner/_work/_temp";
const isWritten = (path: string) => `grep -qs escaped ${path} && echo ${planted}; rm -f ${path}`;
const append = (path: string) => `mkdir -p "$(dirname ${path})"; echo escaped >> ${path}`;
const key = (url: string) => `[http "${url}"]\n\textraheader = AUTHORIZATION: basic ${planted}`;
const many = Array.from({ length: 90 }, (_, at) => `n${at}`).join(" ");

export const waysOut: Readonly<Record<string, WayOut>> = {
  "settings that git includes from the runner's folder, for our own git": {
    before: `${put(`${temp}/git-credentials-1.config`, key("https://example.com/"))}
      git config includeIf.gitdir:$PWD/.git.path ${temp}/git-credentials-1.config
      git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x`,
    agent: `${says} > p.sh; chmod +x p.sh; head=.git/objects/$(git rev-parse HEAD | sed 's:..:&/:')
      printf '[remote "o"]\\n\\turl = ssh://example.com/x\\n\\tpromisor = true\\n[core]\\n\\tsshCommand = "sh -c \\\\"touch %s/git-started\\\\""\\n' $HOME >> $RUNNER_TEMP/git-credentials-1.config
      cp $head kept-object; mv $head moved-object; sleep 1; cp kept-object $head`,
    after: `[ -e ~/git-started ] && echo ${planted}; ${isWritten(`${temp}/x`)}; grep -q sshCommand ${temp}/git-credentials-1.config && echo ${planted}`,
  },
  "settings that git includes from the checkout": {
    before: `${put(".gitsettings", "")}; git config include.path ../.gitsettings`,
    agent: `${says} > fs.sh; git config -f .gitsettings core.fsmonitor "sh $PWD/fs.sh"`,
    after: "git status",
  },
  "another folder with git's settings, for somebody's git while the agent works": {
    agent: `git init -q --bare evil; ${says} > fs2.sh; git config -f evil/config core.fsmonitor "sh $PWD/fs2.sh"
      git config -f evil/config core.bare false; cp -r .git/refs evil/; echo ../evil > .git/commondir`,
    during: "git status",
  },
  "settings of one working tree": {
    before: "git config extensions.worktreeConfig true",
    agent: `${says} > fs3.sh; git config -f .git/config.worktree core.fsmonitor "sh $PWD/fs3.sh"`,
    during: "git status",
    after: "git config --unset extensions.worktreeConfig",
  },
  "a hook in the folder that Husky names": {
    before: "git config core.hooksPath .husky/_; mkdir -p .husky/_; printf '_\\n' > .husky/.gitignore",
    agent: `${says} > .husky/_/post-index-change; chmod +x .husky/_/post-index-change`,
    after: "git add README.md 2>&1; git config --unset core.hooksPath",
  },
  "the script of the running step": {
    before: put(`${temp}/step.sh`, "true"),
    agent: append("$RUNNER_TEMP/step.sh"),
    after: isWritten(`${temp}/step.sh`),
  },
  "the record of a job's runs": {
    before: put(`${temp}/until-green/runs/r/workspace/snapshots.git/config`, "[core]"),
    agent: append("$RUNNER_TEMP/until-green/runs/r/workspace/snapshots.git/config"),
    after: isWritten(`${temp}/until-green/runs/r/workspace/snapshots.git/config`),
  },
  "a link where the record of a job would be": {
    agent: `ln -s $HOME $RUNNER_TEMP/until-green-$(id -u)`,
    after: `[ -L ${temp}/until-green-$(id -u) ] && echo ${planted}; rm -f ${temp}/until-green-$(id -u)`,
  },
  "a cache in the checkout that becomes a link to the home folder": {
    before: "mkdir -p .cache/pip ~/bin",
    agent: "mv .cache moved; mkdir .cache; ln -s ../../../bin .cache/pip; echo escaped > .cache/pip/ls",
    after: isWritten("~/bin/ls"),
  },
  "a file in the temporary folder of others": {
    before: put(`/tmp/until-green-stranger-${process.pid}/x`, "x"),
    agent: `echo escaped > /tmp/until-green-stranger-${process.pid}/x; echo escaped > /var/tmp/until-green-stranger-${process.pid}`,
    after: `cat /tmp/until-green-stranger-${process.pid}/x /var/tmp/until-green-stranger-${process.pid} | grep -q escaped && echo ${planted}; rm -rf /tmp/until-green-stranger-${process.pid} /var/tmp/until-green-stranger-${process.pid}`,
  },
  "a file of others in the temporary folder, read": {
    before: `umask 077; ${put(`/tmp/until-green-private-${process.pid}`)}`,
    agent: `cat /tmp/until-green-private-${process.pid}`,
    after: `rm -f /tmp/until-green-private-${process.pid}`,
  },
  "a tool of uv by a hard link in its cache": {
    before: `${put("~/.cache/uv/archive/x.py", "x")}; mkdir -p ~/.local/share/uv/tools/t/lib
      ln -f ~/.cache/uv/archive/x.py ~/.local/share/uv/tools/t/lib/x.py`,
    agent: append("~/.cache/uv/archive/x.py"),
    after: isWritten("~/.local/share/uv/tools/t/lib/x.py"),
  },
  "another project by a hard link in the store of pnpm": {
    before: `${put("~/.local/share/pnpm/store/v10/files/x", "x")}; mkdir -p ~/work/other/node_modules
      ln -f ~/.local/share/pnpm/store/v10/files/x ~/work/other/node_modules/x`,
    agent: append("~/.local/share/pnpm/store/v10/files/x"),
    after: isWritten("~/work/other/node_modules/x"),
  },
  "what other projects install from": {
    before: put("~/.npm/_cacache/content", "x"),
    agent: append("~/.npm/_cacache/content"),
    after: isWritten("~/.npm/_cacache/content"),
  },
  "the key with which actions/checkout fetched": {
    before: put(`${temp}/0123`),
    agent: "cat $RUNNER_TEMP/0123",
  },
  "the token of a checkout beside this one": {
    before: `${put(`${temp}/git-credentials-2.config`, key("https://example.com/"))}
      git -C ~/work/other config include.path ${temp}/git-credentials-2.config`,
    agent: "cat $RUNNER_TEMP/git-credentials-2.config ~/work/other/.git/config",
  },
  "the token of a checkout in the checkout": {
    before: `git init -q nested; git -C nested config http.https://example.com/.extraheader "AUTHORIZATION: basic ${planted}"`,
    agent: "cat nested/.git/config",
  },
  "the token in this checkout's settings": {
    before: `git config http.https://example.com/.extraheader "AUTHORIZATION: basic ${planted}"`,
    agent: "cat .git/config",
    after: "git config --unset http.https://example.com/.extraheader",
  },
  "a password in the address of a remote": {
    before: `git remote add secret https://user:${planted}@example.com/x; git config url.https://u:${planted}@example.com/.insteadOf https://example.org/
      git config --global url.https://u:${planted}@example.net/.insteadOf https://example.net/`,
    agent: "cat .git/config ~/.gitconfig; git remote -v",
  },
  "the registration of another runner": {
    before: put("~/runner2/.credentials_rsaparams"),
    agent: "cat ~/runner2/.credentials_rsaparams",
  },
  "one of ninety neighbours": {
    before: `for n in ${many}; do mkdir -p ~/work/$n/.git; echo ${planted} > ~/work/$n/secret; done`,
    agent: "cat ~/work/n*/secret",
  },
  "one of ninety environments of pre-commit": {
    before: `for n in ${many}; do mkdir -p ~/.cache/pre-commit/$n/bin; echo x > ~/.cache/pre-commit/$n/bin/hook; done`,
    agent: "for f in ~/.cache/pre-commit/n*/bin/hook; do echo escaped >> $f; done",
    after: `cat ~/.cache/pre-commit/n*/bin/hook | grep -q escaped && echo ${planted}`,
  },
  "a database of this user": { agent: connectTo("$DATABASE_SOCKET") },
  "a daemon's socket in /run or /srv": { agent: connectTo("$DAEMON_SOCKET") },
};
