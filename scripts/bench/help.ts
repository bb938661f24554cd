import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "../build.ts";
import { type Bench, row } from "./bench.ts";
import { byTurns, ms, timed } from "./figures.ts";
import { inFolder } from "./scene.ts";

const run = promisify(execFile);

/** A whole process, from start to end, compared with an empty one. */
export const help: Bench = {
  async rows() {
    if (!existsSync(program)) await build("dist");
    return inFolder(async (folder) => {
      const empty = join(folder, "empty.js");
      writeFileSync(empty, "");
      const workflow = join(folder, "loop.yml");
      writeFileSync(
        workflow,
        "name: loop\nnodes: [{ id: a, loop: { prompt: go, until: DONE, max_iterations: 3 } }]\n",
      );
      const measure = async (args: readonly string[]) => {
        const [value, bare] = await byTurns(
          21,
          () => timed(() => run(process.execPath, [program, ...args], { cwd: folder })),
          () => timed(() => run(process.execPath, [empty])),
        );
        return { value, than: [bare, "an empty script"] as const };
      };
      const ours = await measure(["--help"]);
      return [
        row("until-green --help", ms, { ...ours, goal: ["≤ 2.5x", ours.value / ours.than[0] <= 2.5] }),
        row("until-green check, one small file", ms, await measure(["check", workflow, "--quiet"])),
        row("until-green run, a loop that is done at once", ms, await measure(inline)),
      ];
    });
  },
  measurements: {},
};

const program = resolve("dist/until-green.js");
const agent = ["--agent", "command:echo DONE"];
const inline = ["run", "--prompt", "go", "--until", "DONE", "--store", "memory", "--quiet", ...agent];
