import { execFile, execFileSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gitRefStore } from "../../src/stores/git-ref.ts";
import { type Row, row } from "./bench.ts";
import { mb, median, ms, timed } from "./figures.ts";
import { type Host, openHost } from "./host.ts";

const run = promisify(execFile);

/** The size of a record at the host after this many iterations of 2 KB, each pushed separately. */
export async function checkpoints(folder: string): Promise<readonly Row[]> {
  const sizes = new Map<number, Size>();
  for (const count of [100, 1_000]) {
    const place = join(folder, String(count));
    mkdirSync(place);
    const host = openHost(place);
    const before = bytesOf(host.remote);
    const { times, gits } = await keep(host, host.clone("job"), count);
    const plain = await timed(() => run("git", ["-C", host.remote, "rev-parse", "HEAD"]));
    sizes.set(count, { bytes: bytesOf(host.remote) - before, each: median(times), gits, plain });
  }
  const [few, many] = [sizes.get(100), sizes.get(1_000)];
  if (few === undefined || many === undefined) return [];
  return [
    row("action: a checkpoint that is pushed, to a host on the same disk", ms, {
      value: many.each,
      than: [many.plain, "one git process"],
    }),
    row("action: git processes of a checkpoint that is pushed", String, {
      value: many.gits,
      goal: ["≤ 2", many.gits <= 2],
    }),
    row("action: 1,000 iterations of 2 KB at the host", mb, {
      value: many.bytes,
      than: [few.bytes, "100 of them"],
      goal: ["≤ 20 MB, ≤ 10.5x", many.bytes <= 20e6 && many.bytes / few.bytes <= 10.5],
    }),
  ];
}

interface Size {
  readonly bytes: number;
  /** Median duration of one push, and its number of git processes. */
  readonly each: number;
  readonly gits: number;
  /** Duration of a git process that does almost nothing. */
  readonly plain: number;
}

const bytesOf = (repository: string) =>
  Number(execFileSync("du", ["--summarize", "--bytes", repository], { encoding: "utf8" }).split("\t")[0]);

async function keep(host: Host, cwd: string, count: number) {
  const environment = { ...process.env, RUNNER_TEMP: dirname(cwd) };
  const store = gitRefStore({ remote: host.remote, cwd, environment });
  const times: number[] = [];
  const gits: number[] = [];
  let started = 0;
  const hear = () => {
    started += 1;
  };
  subscribe("child_process", hear);
  const release = await store.hold("bench-run");
  try {
    for (let at = 0; at < count; at += 1) {
      await store.append("bench-run", at, [JSON.stringify({ at, text: noise(at) })]);
      started = 0;
      times.push(await timed(() => store.flush?.("bench-run")));
      gits.push(started);
    }
  } finally {
    await release();
    unsubscribe("child_process", hear);
  }
  return { times, gits: median(gits) };
}

/** 2 KB that compress as badly as an agent's text. */
const noise = (seed: number) =>
  Array.from({ length: 256 }, (_, at) =>
    ((seed * 2_654_435_761 + at * 40_503) >>> 3).toString(36).padStart(8, "0"),
  ).join("");
