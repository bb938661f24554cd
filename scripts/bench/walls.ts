import { openIsolation } from "../../src/processes/isolation.ts";
import { runProcess } from "../../src/processes/process.ts";
import { type Bench, row } from "./bench.ts";
import { ms, percentile } from "./figures.ts";
import { inFolder } from "./scene.ts";

/** A process with this machine's isolation, compared with the same process without it. */
export const walls: Bench = {
  async rows(inChild) {
    const { names, walled, bare } = await inChild<Starts>("starts");
    const [ours, plain] = [percentile(walled, 50), percentile(bare, 50)];
    return [
      row(`a process behind walls (${names.join(", ") || "none here"}), p50`, ms, {
        value: ours,
        than: [plain, "without"],
        goal: ["≤ 15 ms more", names.length > 0 && ours - plain <= 15],
      }),
    ];
  },
  measurements: { starts: () => inFolder(startsIn) },
};

interface Starts {
  /** The walls that are on. */
  readonly names: readonly string[];
  /** Milliseconds of each process. */
  readonly walled: readonly number[];
  readonly bare: readonly number[];
}

const times = 100;

async function startsIn(folder: string): Promise<Starts> {
  const isolation = openIsolation({ environment: process.env, writable: [folder] });
  const run = async (isWalled: boolean) => {
    const before = performance.now();
    await runProcess({
      command: "bash",
      args: ["-c", "true"],
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "" },
      signal: new AbortController().signal,
      ...(isWalled ? { wrap: (launch) => isolation.wrap(launch) } : {}),
    });
    return performance.now() - before;
  };
  const available = await isolation.walls();
  const [walled, bare]: [number[], number[]] = [[], []];
  for (let count = 0; count < times; count++) {
    bare.push(await run(false));
    walled.push(await run(true));
  }
  return { names: available.filter(({ on }) => on).map(({ name }) => name), walled, bare };
}
