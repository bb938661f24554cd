import { connectTo, type Escape, file, type Leftover } from "./escape-list.ts";
import { planted } from "./escape-scene.ts";

/** Shell in which `libc` is at hand; `body` is Python. */
const python = (body: string) => `python3 - <<'P'
import array, ctypes, os, socket, time
libc = ctypes.CDLL(None, use_errno=True)
${body}
P`;
const reads = (path: string): Escape => ({ script: `cat ${path}`, works: true });
const writes = (path: string): Escape => ({
  script: `mkdir -p "$(dirname ${path})"; echo x >> ${path} && echo ${planted}`,
  works: true,
});

/** Our process writes there without walls, what a model said: it would write into the file that the link names. */
const linkIn = (folder: string): Escape => ({
  script: `d=$UNTIL_GREEN_ARTIFACTS/${folder}; mkdir -p $d && ln -s ~/.bashrc $d/x && echo ${planted}; rm -rf $d/x`,
  works: true,
});

/** What the steps of a job and the daemons of a user put in an agent's reach. */
export const jobEscapes: Readonly<Record<string, Escape>> = {
  "reads the settings of npm that a step before wrote": reads("$RUNNER_TEMP/.npmrc"),
  "reads the login of a cluster that a step before wrote": reads("$RUNNER_TEMP/kubeconfig"),
  "reads the login of a cloud that a step before left in the checkout": reads("gha-creds-0.json"),
  "reads the tickets of Kerberos": reads("$RUNNER_TEMP/krb5cc"),
  "reads the key of the user's display": reads("~/.Xauthority"),
  "reads what was typed into a shell, as kept by Atuin": reads("~/.local/share/atuin/history.db"),
  "puts a program on PATH where there was no folder": writes("~/.cache/later/bin/git2"),
  "reads the token that a cloud takes for this job": reads("$RUNNER_TEMP/web-identity"),
  "sets a variable for later steps": writes("$RUNNER_TEMP/_runner_file_commands/set_env_0"),
  "changes the code of another action": writes("$RUNNER_TEMP/../_actions/a/b/v1/dist/index.js"),
  "changes a tool of later steps": writes("$RUNNER_TEMP/../_tool/node/24/x64/bin/node"),
  "reads the registry logins of Composer": reads("~/.config/composer/auth.json"),
  "reads the registry logins of Poetry": reads("~/.config/pypoetry/auth.toml"),
  "reads the registry logins of Ivy": reads("~/.ivy2/.credentials"),
  "reads the login of Copilot in an editor": reads("~/.config/github-copilot/apps.json"),
  "reads the key of Android's debugger": reads("~/.android/adbkey"),
  "finds the daemon of Gradle that runs outside": reads("~/.gradle/daemon/9.0/registry.bin"),
  "speaks to sbt's server in the home folder": {
    script: connectTo("$HOME/.sbt/1.0/server/x/sock"),
    works: true,
  },
  "has a manager of passwords sign": { script: connectTo("$HOME/.1password/agent.sock"), works: true },
  "speaks to the session's message bus": { script: connectTo("$XDG_RUNTIME_DIR/bus"), works: true },
  "connects to a socket without a file": {
    script: `python3 -c 'import os, socket; s = socket.socket(socket.AF_UNIX); s.connect("\\0" + os.environ["OUTSIDE_ABSTRACT"]); print(s.recv(99).decode())'`,
    works: true,
  },
  "puts a link where our process writes an agent's conversation": linkIn(".sessions/api"),
  "puts a link where our process notes a turn that was cut off": linkIn(".turns"),
  "puts a link where our process copies an agent's settings": linkIn(".homes/claude"),
  "puts a link where our process writes what is too long for a model": linkIn(".outputs"),
  "reads a file of another checkout by a hard link": {
    script: "ln ~/work/other/secret linked && cat linked",
    works: true,
  },
  "limits the files of our process": {
    script: `prlimit --nofile=64:64 --pid $E && echo ${planted}`,
    works: true,
  },
  "changes an agent that the action has installed": writes(
    "$RUNNER_TOOL_CACHE/until-green/claude/bin/claude",
  ),
  "leaves an agent for the action to find": writes("$RUNNER_TOOL_CACHE/until-green/pi/1.0.0/bin/pi"),
  "adds a module that every Python of the user loads": writes(
    "~/.local/lib/python3.13/site-packages/usercustomize.py",
  ),
  "has every build by Go start a program": writes("~/.config/go/env"),
  "has every build by Cargo start a program": writes("~/.cargo/config.toml"),
  "has pip take packages from elsewhere": writes("~/.config/pip/pip.conf"),
  "trusts the checkout in direnv": writes("~/.local/share/direnv/allow/escaped"),
  "trusts the checkout in mise": writes("~/.local/state/mise/trusted-configs/escaped"),
  "changes the settings of an editor": writes("~/.config/Code/User/settings.json"),
  "lets others write in the home folder": { script: `chmod 777 ~ && echo ${planted}`, works: true },
  "registers a service of the user": writes("~/.config/systemd/user/escaped.service"),
  "changes what a login shell starts": writes("~/.profile"),
  "changes the settings of git for all repositories": writes("~/.config/git/config"),
  "sets the program that the kernel gives dumps to": {
    script: `echo '|/bin/true' > /proc/sys/kernel/core_pattern && echo ${planted}`,
    works: false,
  },
};

const link = (path: string, { target, by }: { readonly target: string; readonly by: string }): Leftover => ({
  script: `mkdir -p "$(dirname .git/${path})"; rm -rf .git/${path}; ln -s "$HOME/${target}" .git/${path}`,
  look: `echo kept > ~/kept; ${by}; { [ "$(cat ~/kept)" = kept ] && [ ! -e ~/tags-0 ]; } || echo ${planted}; rm -rf ~/kept ~/tags-0`,
});
const commit = "git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x > /dev/null 2>&1";

/** A repository that the checkout's index names, and whose filter the next `git status` runs. */
const armed = (name: string, and: string): Leftover => ({
  script: `rm -rf ${name}; git init -q ${name}; echo 1 > ${name}/f; git -C ${name} add f
    git -C ${name} -c user.name=a -c user.email=a@example.com commit -q -m x; git add ${name}
    echo 'echo ${planted} >&2; cat' > ${name}.sh; git -C ${name} config filter.x.clean "sh $PWD/${name}.sh"
    echo '* filter=x' > ${name}/.git/info/attributes; sleep 1; echo 2 > ${name}/f
    ${and}`,
  look: `chmod u+rwx ${name}; git rm -q --cached loop 2> /dev/null; rm -rf loop
    git -C ${name} status 2>&1 > /dev/null; git status 2>&1 > /dev/null; git rm -q --cached ${name}; rm -rf ${name}`,
});

/** All of them work without walls. */
export const jobLeftovers: Readonly<Record<string, Leftover>> = {
  "settings for npm in later steps": {
    script: "echo escaped >> $RUNNER_TEMP/.npmrc",
    look: `grep -q escaped ~/runner/_work/_temp/.npmrc && echo ${planted}`,
  },
  "a plugin that every `dotnet restore` starts": file("~/.nuget/plugins/netcore/escaped/escaped.dll"),
  "a source of packages for every `dotnet restore`": file("~/.nuget/NuGet/NuGet.Config"),
  "another version for Corepack to start": file("~/.cache/node/corepack/lastKnownGood.json"),
  "a script that zsh starts with": file("~/.cache/p10k-instant-prompt-ann.zsh"),
  "compiled code for an editor": file("~/.cache/nvim/luac/escaped.luac"),
  "a plugin that every `gem` starts": file("~/.gem/ruby/3.4.0/plugins/escaped_plugin.rb"),
  "another pnpm in the place of an installed one": file("~/.local/share/pnpm/.tools/pnpm/9.0.0/bin/pnpm"),
  "a file of the user in the place of what git fetched": link("FETCH_HEAD", {
    target: "kept",
    by: `${commit}; git fetch -q . HEAD 2> /dev/null`,
  }),
  "a file of the user in the place of git's history of HEAD": link("logs/HEAD", {
    target: "kept",
    by: commit,
  }),
  "a file of the user in the place of git's message": link("COMMIT_EDITMSG", { target: "kept", by: commit }),
  "settings of another repository, changed by what tidies up behind it": {
    script: `git config -f ~/work/other/.git/config --unset alias.kept
      for i in 1 2 3; do git update-index --add --cacheinfo 160000,${"1".repeat(40)},inner-$i; done; mkdir inner-1 inner-2
      echo "gitdir: $HOME/work/other/.git" > inner-1/.git; ln -s ~/work/other/.git inner-2/.git; ln -s ~/work/other inner-3`,
    look: `git config -f ~/work/other/.git/config alias.kept > /dev/null || echo ${planted}; rm -rf inner-1 inner-2 inner-3; git rm -q --cached inner-1 inner-2 inner-3`,
  },
  "a folder of the user in the place of git's tags": link("refs/tags", {
    target: "",
    by: `${commit}; git tag tags-0`,
  }),
  "another hook in the cache of pre-commit": file("~/.cache/pre-commit/repo1/py_env-python3/bin/hook"),
  "another Bazel in the cache of bazelisk": file("~/.cache/bazelisk/downloads/sha256/1/bin/bazel"),
  "a submodule whose settings start a program at the next `git status`": {
    script: `rm -rf sub .git/modules; mkdir .git/modules; git init -q --separate-git-dir .git/modules/sub sub
      git -C sub -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x; git add sub
      printf '#!/bin/sh\necho ${planted} >&2\n' > sub.sh; chmod +x sub.sh; git -C sub config core.fsmonitor "$PWD/sub.sh"`,
    look: "git status 2>&1 > /dev/null; git rm -q --cached sub; rm -rf sub .git/modules",
  },
  "plugins for every build by sbt, in a folder that nobody may change": {
    script: `d=~/.sbt/0.13/plugins; mkdir -p $d; echo ${planted} > $d/escaped.sbt; chmod 555 $d ~/.sbt/0.13`,
    look: "cat ~/.sbt/0.13/plugins/escaped.sbt; chmod -R 755 ~/.sbt; rm -rf ~/.sbt/0.13",
  },
  "a hook and a filter in a repository that it locks": armed(
    "locked-hooks",
    "touch locked-hooks/.git/hooks/x; chmod 555 locked-hooks/.git/hooks",
  ),
  "a filter in a repository that it may not enter itself": armed("locked", "chmod 000 locked"),
  "a filter in a repository next to one whose index leads to itself": armed(
    "looped",
    "git init -q loop; rm -f loop/.git/index; ln -s index loop/.git/index; git update-index --add --cacheinfo 160000,$(git -C looped rev-parse HEAD),loop",
  ),
  "a link in a folder of git that nobody may change": {
    script: "mkdir .git/refs/locked; ln -s ~/kept .git/refs/locked/x; chmod 555 .git/refs/locked",
    look: `[ -L .git/refs/locked/x ] && echo ${planted}; chmod 755 .git/refs/locked; rm -rf .git/refs/locked`,
  },
  "a key in the user's keyring": {
    script: python(`libc.syscall(248, b"user", b"escaped-${process.pid}", b"x", 1, -4)`),
    look: python(`import sys
key = libc.syscall(250, 10, -4, b"user", b"escaped-${process.pid}", 0)
if key > 0:
    libc.syscall(250, 9, key, -4)
    print("${planted}")`),
  },
};
