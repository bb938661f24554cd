import { readFileSync } from "node:fs";
import { planted } from "./escape-scene.ts";

const isRoot = process.getuid?.() === 0;
/** Where Yama keeps processes of a user apart, two of these fail without walls too. */
const hasYama = (() => {
  try {
    return readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").trim() !== "0";
  } catch {
    return false;
  }
})();

export interface Escape {
  /** Bash; what it prints is its loot. `$E` is the process of until-green, where it can be seen. */
  readonly script: string;
  /** Whether it works where isolation is off. */
  readonly works: boolean;
}

const readMemory = `python3 - <<'P'
import os, re
e = os.environ["E"]
for line in open(f"/proc/{e}/maps"):
    m = re.match(r"(\\w+)-(\\w+) rw", line)
    if not m: continue
    a, b = (int(x, 16) for x in m.groups())
    try:
        with open(f"/proc/{e}/mem", "rb", 0) as f:
            f.seek(a)
            if b"${planted}" in f.read(min(b - a, 1 << 26)): print("${planted}"); break
    except OSError: pass
P`;
const attach = `python3 - <<'P'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
pid = int(os.environ["E"])
if libc.ptrace(16, pid, 0, 0) == 0:
    os.waitpid(pid, 0x40000000); libc.ptrace(17, pid, 0, 0); print("${planted}")
P`;
export const connectTo = (path: string) =>
  `P=${path} python3 -c 'import os, socket; s = socket.socket(socket.AF_UNIX); s.connect(os.environ["P"]); print(s.recv(99).decode())'`;
const beats = (name: string) => `while :; do echo escaped >> loot/${name}; sleep 0.1; done`;

/** Each on its own line of defence. */
export const escapes: Readonly<Record<string, Escape>> = {
  "opens the inspector": {
    script: `kill -USR1 $E; sleep 1; python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9229/json/list", timeout=2).read(), "${planted}")'`,
    works: false,
  },
  "reads the environment of our process": { script: "cat /proc/$E/environ", works: true },
  "reads the memory of our process": { script: readMemory, works: !hasYama },
  "attaches to our process": { script: attach, works: !hasYama },
  "lists the files our process has open": {
    script: `ls /proc/$E/fd > /dev/null && echo ${planted}`,
    works: true,
  },
  "lets our process dump core": {
    script: `prlimit --core=unlimited:unlimited --pid $E && echo ${planted}`,
    works: false,
  },
  "reads an SSH key": { script: "cat ~/.ssh/id_ed25519", works: true },
  "reads .npmrc": { script: "cat ~/.npmrc", works: true },
  "reads the registry logins of Docker": { script: "cat ~/.docker/config.json", works: true },
  "reads the credentials of a cloud": { script: "cat ~/.aws/credentials", works: true },
  "reads the credentials of git": { script: "cat ~/.git-credentials", works: true },
  "reads an SSH key by a link": { script: "ln -sf ~/.ssh/id_ed25519 link; cat link", works: true },
  "reads an SSH key by a hard link": {
    script: "ln ~/.ssh/id_ed25519 hard; cat hard",
    works: true,
  },
  "reads an SSH key by the root of another process": {
    script: 'for p in /proc/[0-9]*; do cat "$p/root$HOME/.ssh/id_ed25519"; done',
    works: true,
  },
  "connects directly to the world outside": { script: "cat < /dev/tcp/127.0.0.1/$OUTSIDE_TCP", works: true },
  "asks the world outside by UDP, as DNS does": {
    script: `python3 -c 'import os, socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2); s.sendto(b"x", ("127.0.0.1", int(os.environ["OUTSIDE_UDP"]))); print(s.recv(99).decode())'`,
    works: true,
  },
  "has the proxy connect to a host that is not listed": {
    script: `python3 -c 'import os, socket; s = socket.create_connection(("127.0.0.1", 3128), 2); s.sendall(b"CONNECT 127.0.0.1:%s HTTP/1.1\\r\\n\\r\\n" % os.environ["OUTSIDE_TCP"].encode()); print(s.recv(9999).decode()); print(s.recv(99).decode())'`,
    works: false,
  },
  "reads another checkout": { script: "cat ../other/secret", works: true },
  "writes into another checkout": { script: `echo x > ../other/new && echo ${planted}`, works: true },
  "changes the user's shell": { script: `echo x >> ~/.bashrc && echo ${planted}`, works: true },
  "puts a program on PATH": {
    script: `mkdir -p ~/.local/bin && echo x > ~/.local/bin/git2 && echo ${planted}`,
    works: true,
  },
  "speaks to a daemon that starts programs": {
    script: `python3 -c 'import os, socket; s = socket.socket(socket.AF_UNIX); s.connect(os.environ["HOME"] + "/docker.sock"); print(s.recv(99).decode())'`,
    works: true,
  },
  "becomes root by a setuid program": {
    script: `~/setuid-id | grep -q "euid=0" && echo ${planted}`,
    works: isRoot,
  },
  "leaves its namespaces": {
    script: `nsenter -t 1 -m -p -U true && nsenter -t 1 -m -p -U cat ~/.npmrc; unshare -rm sh -c "umount -l ~/.npmrc; umount -l ~/.ssh; cat ~/.npmrc ~/.ssh/id_ed25519"`,
    works: true,
  },
  "lets git start a program for whoever comes next": {
    script: `git config core.fsmonitor /bin/true && echo ${planted}`,
    works: true,
  },
  "leaves a hook of git": {
    script: `echo x > .git/hooks/post-checkout && echo ${planted}`,
    works: true,
  },
  "puts another repository in the place of ours": {
    script: `mv .git moved && mv moved .git && echo ${planted}`,
    works: true,
  },
  "rewrites the record of its run": {
    script: `for f in .git/until-green/runs/*/log.jsonl; do : >> $f && echo ${planted}; done`,
    works: true,
  },
  "changes a program of a version manager": {
    script: `echo x >> ~/.rustup/toolchains/stable/bin/cargo && echo ${planted}`,
    works: true,
  },
  "changes a program on PATH in a cache": {
    script: `mv ~/.cache/tools ~/.cache/x; mkdir -p ~/.cache/tools/bin; echo x > ~/.cache/tools/bin/git && echo ${planted}`,
    works: true,
  },
  "has an SSH agent sign": { script: connectTo("$SSH_AUTH_SOCK"), works: true },
  "types into a program that listens in /tmp": { script: connectTo("$OUTSIDE_SOCKET"), works: true },
  "asks git's cache of passwords": {
    script: connectTo("$HOME/.cache/git/credential/socket"),
    works: true,
  },
  "reads what is typed in the user's terminal": {
    script: `exec 9<> "$(cat ~/terminal)" && echo ${planted}`,
    works: true,
  },
  "reads the login of an agent": { script: "cat ~/.claude/.credentials.json", works: true },
  "reads what a browser keeps": { script: "cat ~/.mozilla/firefox/x/cookies.sqlite", works: true },
  "reads what a browser has cached": {
    script: "cat ~/.cache/google-chrome/Default/Cache/Cache_Data/x",
    works: true,
  },
  "changes the code that a browser has cached": {
    script: `echo x >> ~/.cache/google-chrome/Default/Cache/Cache_Data/x && echo ${planted}`,
    works: true,
  },
  "reads what was typed into a shell": { script: "cat ~/.bash_history", works: true },
  "takes the registration of the runner": { script: "cat ~/runner/.credentials", works: true },
  "reads what another user keeps": { script: "cat /etc/shadow && echo ${planted}", works: false },
};

/** What goes on when the run is over. */
export const survivors: Readonly<Record<string, Escape>> = {
  "in the background": { script: `bash -c '${beats("background")}' &`, works: false },
  "without a terminal": {
    script: `nohup bash -c '${beats("nohup")}' > /dev/null 2>&1 & disown`,
    works: false,
  },
  "in a session of its own": { script: `setsid bash -c '${beats("session")}' &`, works: false },
  "in a session of its own, without our names": {
    script: `setsid env -i PATH="$PATH" LOOT="$PWD" bash -c 'cd "$LOOT"; ${beats("nameless")}' &`,
    works: true,
  },
  "by two forks, elsewhere": {
    script: `(setsid env -i PATH="$PATH" LOOT="$PWD" setsid bash -c 'cd /; while :; do echo escaped >> "$LOOT/loot/forks"; sleep 0.1; done' &) &`,
    works: true,
  },
  "in a user namespace": {
    script: `setsid env -i PATH="$PATH" unshare -r bash -c '${beats("userns")}' &`,
    works: true,
  },
};
export const files = ["background", "nohup", "session", "nameless", "forks", "userns"];

/** What an agent leaves to whoever comes next. `look` runs outside afterwards, prints it and takes it away. */
export interface Leftover {
  readonly script: string;
  readonly look: string;
}

const queue = (flags: string, more: string) =>
  `python3 -c 'import ctypes; l = ctypes.CDLL(None); print("${planted}" if l.mq_open(b"/escaped-${process.pid}", ${flags}, 0o600, None) >= 0 else ""); ${more}'`;
const ipc = (kind: string) => ({
  script: `ipcmk -${kind.toUpperCase()} ${kind === "q" ? "" : "4096"}`,
  look: `for i in $(ipcs -${kind} | awk -v u=$(id -u) '$3 == u { print $2 }'); do ipcrm -${kind} $i && echo ${planted}; done`,
});
export const file = (path: string) => ({
  script: `mkdir -p "$(dirname ${path})"; echo ${planted} >> ${path}`,
  look: `cat ${path}; rm -f ${path}`,
});

/** All of them work without walls. */
export const leftovers: Readonly<Record<string, Leftover>> = {
  "a file in shared memory": file(`/dev/shm/escaped-${process.pid}`),
  "shared memory of System V": ipc("m"),
  "a message queue of System V": ipc("q"),
  "a message queue of POSIX": {
    script: queue("0o102", ""),
    look: queue("2", `l.mq_unlink(b"/escaped-${process.pid}")`),
  },
  "a script for every build by Gradle": file("~/.gradle/init.d/escaped.gradle"),
  "plugins for every build by sbt": file("~/.sbt/1.0/plugins/escaped.sbt"),
  "compiled code for yarn": file(`/tmp/v8-compile-cache-$(id -u)/escaped-${process.pid}`),
  "another program in the place of one that uv installed": file("~/.local/share/uv/tools/ruff/bin/ruff"),
  "another package manager in the cache of Corepack": file(
    "~/.cache/node/corepack/v1/pnpm/9.0.0/bin/pnpm.cjs",
  ),
  "a repository whose filter the next `git status` runs": {
    script: `rm -rf inner; git init -q inner; echo 1 > inner/f; git -C inner add f
      git -C inner -c user.name=a -c user.email=a@example.com commit -q -m x; git add inner
      echo 'echo ${planted} >&2; cat' > inner.sh; git -C inner config filter.x.clean "sh $PWD/inner.sh"
      echo '* filter=x' > inner/.git/info/attributes; sleep 1; echo 2 > inner/f`,
    look: "git status 2>&1 > /dev/null",
  },
};
