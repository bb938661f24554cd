import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openIsolation, refuseWithout } from "../../src/processes/isolation.ts";
import { files, escapes as onMachine, leftovers as onMachineLeft, survivors } from "./escape-list.ts";
import { jobEscapes, jobLeftovers } from "./escape-list-of-jobs.ts";
import { commandOf, openScene, planted, processesOfUser, type Scene } from "./escape-scene.ts";

const escapes = { ...onMachine, ...jobEscapes };
const leftovers = { ...onMachineLeft, ...jobLeftovers };
const isRoot = process.getuid?.() === 0;
const walls = await openIsolation({ mode: "auto", environment: process.env }).walls();
const on = (name: string) => walls.some((wall) => wall.name === name && wall.on);
const engine = `for p in /proc/[0-9]*; do [ -O $p ] && tr '\\0' ' ' < $p/cmdline 2> /dev/null | grep -q 'agent command:bash agent.sh' && export E=\${p#/proc/}; done`;
const slug = (name: string) => name.replace(/\W+/g, "-");
const whole = [
  engine,
  ...Object.entries(escapes).map(
    ([name, { script }]) => `{ ${script}\n} > "loot/${slug(name)}" 2> /dev/null < /dev/null`,
  ),
  ...Object.values(leftovers).map(({ script }) => `{ ${script}\n} > /dev/null 2>&1 < /dev/null`),
  ...Object.values(survivors).map(({ script }) => `${script.replace(/&$/, "> /dev/null 2>&1 &")}`),
  "sleep 0.5; touch done; echo finished",
].join("\n");

describe.each(["auto", "off"] as const)("with isolation %s, an agent of an ordinary user", (isolation) => {
  let scene: Scene;
  let grown: readonly number[] = [];
  let output = "";
  beforeAll(async () => {
    scene = await openScene();
    const { stdout } = await scene.run(
      whole,
      isolation,
      ...(isolation === "auto" ? ["--network", "none"] : []),
    );
    expect(stdout).toContain("succeeded");
    output = stdout;
    const sizes = () => files.map((name) => scene.loot(name).length);
    const before = sizes();
    await new Promise((later) => setTimeout(later, 700));
    grown = sizes().map((size, at) => size - (before[at] ?? 0));
  }, 120_000);
  afterAll(() => scene.close());

  const stops = (works: boolean) => isolation === "auto" || !works;
  const expected = (works: boolean) => (stops(works) ? "is stopped" : "is not stopped, as SECURITY.md says");

  test
    .runIf(on("processes") && on("files"))
    .each(Object.entries(escapes).map(([name, { works }]) => [name, expected(works), stops(works)] as const))(
    "that %s %s",
    (name, _, isStopped) => {
      expect(scene.loot(slug(name)).includes(planted)).toBe(!isStopped);
    },
  );

  test
    .runIf(on("files"))
    .each(Object.entries(leftovers).map(([name, { look }]) => [name, expected(true), look] as const))(
    "that leaves %s %s",
    (_, __, look) => {
      expect(scene.look(look).includes(planted)).toBe(!stops(true));
    },
  );

  if (isolation === "auto")
    test.runIf(on("files"))("gets a list of the hosts that were refused", () => {
      expect(output).toContain(
        "programs could not reach these hosts: 127.0.0.1; add those that they need to `network`",
      );
    });

  test
    .runIf(on("processes"))
    .each(
      Object.entries(survivors).map(
        ([name, { works }], at) => [name, expected(works), { isStopped: stops(works), at }] as const,
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
    ["STOP to its parent", "kill -STOP $PPID"],
    ["STOP to its group and to every process it may reach", "kill -STOP 0; kill -STOP -1"],
    ["TSTP, TTOU and TTIN to its group", "kill -TSTP 0; kill -TTOU 0; kill -TTIN 0"],
  ])("%s neither pause nor end the run from outside", async (_, script) => {
    const { code, stdout } = await run(`${script}; sleep 1; touch done`, "auto");
    expect([0, 1], stdout).toContain(code);
  });

  test.runIf(isRoot)("and without walls they do", async () => {
    const { code } = await run("kill -TERM -1; sleep 5", "off");
    expect([3, null]).toContain(code);
  });

  test("and without walls STOP holds our process until it is continued, and nothing is lost", async () => {
    const { code, stdout } = await run(
      "(sleep 1; kill -CONT $PPID) & kill -STOP $PPID; sleep 2; touch done; echo ok",
      "off",
    );
    expect(code, stdout).toBe(0);
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
  "with `required` a run continues if both walls are there",
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
