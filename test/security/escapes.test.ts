import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openIsolation, refuseWithout } from "../../src/processes/isolation.ts";
import { commandOf, openScene, planted, processesOfUser, type Scene } from "./escape-scene.ts";

const isRoot = process.getuid?.() === 0;
const walls = await openIsolation({ mode: "auto", environment: process.env }).walls();
const on = (name: string) => walls.some((wall) => wall.name === name && wall.on);
/** Where Yama keeps processes of a user apart, two of these fail without walls too. */
const hasYama = (() => {
  try {
    return readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").trim() !== "0";
  } catch {
    return false;
  }
})();

interface Escape {
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
const beats = (name: string) => `while :; do echo escaped >> loot/${name}; sleep 0.1; done`;

/** Each on its own line of defence. */
const escapes: Readonly<Record<string, Escape>> = {
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
  "reads what another user keeps": { script: "cat /etc/shadow && echo ${planted}", works: false },
};

/** What goes on when the run is over. */
const survivors: Readonly<Record<string, Escape>> = {
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
const files = ["background", "nohup", "session", "nameless", "forks", "userns"];

const engine = `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2> /dev/null | grep -q 'agent command:bash agent.sh' && export E=\${p#/proc/}; done`;
const slug = (name: string) => name.replace(/\W+/g, "-");
const whole = [
  engine,
  ...Object.entries(escapes).map(
    ([name, { script }]) => `{ ${script}\n} > "loot/${slug(name)}" 2> /dev/null < /dev/null`,
  ),
  ...Object.values(survivors).map(({ script }) => `${script.replace(/&$/, "> /dev/null 2>&1 &")}`),
  "sleep 0.5; touch done; echo finished",
].join("\n");

describe.each(["auto", "off"] as const)("with isolation %s, an agent of an ordinary user", (isolation) => {
  let scene: Scene;
  let grown: readonly number[] = [];
  let said = "";
  beforeAll(async () => {
    scene = await openScene();
    const { stdout } = await scene.run(
      whole,
      isolation,
      ...(isolation === "auto" ? ["--network", "none"] : []),
    );
    expect(stdout).toContain("succeeded");
    said = stdout;
    const sizes = () => files.map((name) => scene.loot(name).length);
    const before = sizes();
    await new Promise((later) => setTimeout(later, 700));
    grown = sizes().map((size, at) => size - (before[at] ?? 0));
  }, 120_000);
  afterAll(() => scene.close());

  const stops = (works: boolean) => isolation === "auto" || !works;
  const told = (works: boolean) => (stops(works) ? "is stopped" : "is not stopped, as SECURITY.md says");

  test
    .runIf(on("processes") && on("files"))
    .each(Object.entries(escapes).map(([name, { works }]) => [name, told(works), stops(works)] as const))(
    "that %s %s",
    (name, _, isStopped) => {
      expect(scene.loot(slug(name)).includes(planted)).toBe(!isStopped);
    },
  );

  if (isolation === "auto")
    test.runIf(on("files"))("is told which hosts it was refused", () => {
      expect(said).toContain(
        "programs were refused these hosts: 127.0.0.1; list in `network` what they need",
      );
    });

  test
    .runIf(on("processes"))
    .each(
      Object.entries(survivors).map(
        ([name, { works }], at) => [name, told(works), { isStopped: stops(works), at }] as const,
      ),
    )("that leaves a process %s %s", (_, __, { isStopped, at }) => {
    // Behind walls some cannot even begin.
    if (!isStopped) expect(scene.loot(files[at] ?? "")).toContain("escaped");
    expect(grown[at] === 0).toBe(isStopped);
  });
});

describe.runIf(on("processes"))("signals of an agent behind walls", () => {
  const scenes: Scene[] = [];
  afterAll(() => {
    for (const scene of scenes) scene.close();
  });
  const run = async (agent: string, isolation: string) => {
    const scene = await openScene();
    scenes.push(scene);
    return { scene, ...(await scene.run(agent, isolation)) };
  };

  test.each([
    ["TERM to every process it may reach", "kill -TERM -1"],
    ["KILL to every process it may reach", "kill -KILL -1"],
    ["STOP and TERM to our process", `${engine}; kill -STOP $E; kill -TERM $E; kill -CONT $E`],
  ])("%s neither pause nor end the run from outside", async (_, script) => {
    const { code, stdout } = await run(`${script}; sleep 1; touch done`, "auto");
    expect([0, 1], stdout).toContain(code);
  });

  test.runIf(isRoot)("and without walls they do", async () => {
    const { code } = await run("kill -TERM -1; sleep 5", "off");
    expect([3, null]).toContain(code);
  });

  test("a thousand processes end with the run", async () => {
    const bomb =
      "for i in $(seq 1000); do setsid env -i /bin/sleep 4711 & done > /dev/null 2>&1; touch done; echo ok";
    const { code, stdout } = await run(bomb, "auto");
    expect(code, stdout).toBe(0);
    expect(processesOfUser().filter((pid) => commandOf(pid).includes("4711"))).toEqual([]);
  });
});

test.runIf(on("processes") && on("files"))(
  "with `required` a run goes on where both walls are there",
  async () => {
    const scene = await openScene();
    const { code, stdout } = await scene.run("touch done; echo ok", "required");
    scene.close();
    expect(code, stdout).toBe(0);
  },
);

test("`required` refuses with the reason and the remedy where a wall is missing", () => {
  const missing = {
    name: "files",
    on: false,
    detail: "bubblewrap is not installed",
    remedy: "install it",
  } as const;
  expect(() => refuseWithout([missing])).toThrow(
    "isolation is required and not available here: files: bubblewrap is not installed (install it)",
  );
});
