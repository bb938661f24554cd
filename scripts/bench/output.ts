import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { commandAgent } from "../../src/agents/command.ts";
import { directoryStore } from "../../src/stores/directory.ts";
import { type Bench, row } from "./bench.ts";
import { mb, ms } from "./figures.ts";
import { endless, inFolder, play } from "./scene.ts";

/** A run whose agent and check print much: the cost per MB must stay constant, and memory must not grow. */
export const output: Bench = {
  async rows(inChild) {
    const some = await inChild<Cost>("print", 150);
    const more = await inChild<Cost>("print", 600);
    return [
      row("600 MB printed by an agent and a check, processor time", ms, {
        value: more.cpuMs,
        than: [some.cpuMs, "150 MB"],
        goal: ["≤ 4.4x", more.cpuMs / some.cpuMs <= 4.4],
      }),
      row("memory (RSS) at most, meanwhile", mb, {
        value: more.rss,
        than: [some.rss, "150 MB"],
        goal: ["≤ 256 MiB", more.rss <= 256 * 2 ** 20],
      }),
    ];
  },
  measurements: { print: (megabytes) => inFolder((folder) => print(folder, Number(megabytes))) },
};

interface Cost {
  /** Only this process, without its children. */
  readonly cpuMs: number;
  /** Peak in bytes. */
  readonly rss: number;
}

async function print(folder: string, megabytes: number): Promise<Cost> {
  const workspace = join(folder, "project");
  mkdirSync(workspace);
  const much = `yes 'ok 7 - parses <tag> (3 ms) at src/parse.test.js:41' | head -c ${(megabytes / 2) * 1e6}`;
  let rss = 0;
  const sampled = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 20);
  const before = process.cpuUsage();
  await play({
    plan: endless(1, { until_bash: `${much}; false` }),
    store: directoryStore(join(folder, "runs")),
    workspace,
    agent: commandAgent(`cat >/dev/null; ${much}`),
  });
  const { user, system } = process.cpuUsage(before);
  clearInterval(sampled);
  return { cpuMs: (user + system) / 1_000, rss };
}
