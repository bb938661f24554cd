import type { Bench } from "./bench.ts";

/** Every bench, loaded on demand, so that it does not affect the others. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  iteration: async () => (await import("./iteration.ts")).iteration,
  processes: async () => (await import("./processes.ts")).processes,
  walls: async () => (await import("./walls.ts")).walls,
  memory: async () => (await import("./memory.ts")).memory,
  compile: async () => (await import("./compile.ts")).compiling,
  graph: async () => (await import("./graph.ts")).graph,
  signal: async () => (await import("./signal.ts")).signal,
  output: async () => (await import("./output.ts")).output,
  help: async () => (await import("./help.ts")).help,
};
