import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "../build.ts";
import type { Bench } from "./bench.ts";
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
      const [ours, bare] = await comparedToEmpty(empty, ["--help"]);
      const [check, bareCheck] = await comparedToEmpty(empty, ["check", workflow, "--quiet"]);
      const [loop, nothing] = await comparedToEmpty(
        empty,
        [...inline, "--agent", "command:echo DONE"],
        folder,
      );
      const reference = (time: number) => `${ms(time)}, an empty script`;
      return [
        {
          what: "until-green --help",
          figure: ms(ours),
          reference: reference(bare),
          ratio: ours / bare,
          goal: "≤ 2.5x",
          ok: ours / bare <= 2.5,
        },
        {
          what: "until-green check, one small file",
          figure: ms(check),
          reference: reference(bareCheck),
          ratio: check / bareCheck,
        },
        {
          what: "until-green run, a loop that is done at once",
          figure: ms(loop),
          reference: reference(nothing),
          ratio: loop / nothing,
        },
      ];
    });
  },
  measurements: {},
};

const program = resolve("dist/until-green.js");
const inline = ["run", "--prompt", "go", "--until", "DONE", "--store", "memory", "--quiet"];

const comparedToEmpty = (empty: string, args: readonly string[], cwd = ".") =>
  byTurns(
    21,
    () => timed(() => run(process.execPath, [program, ...args], { cwd })),
    () => timed(() => run(process.execPath, [empty])),
  );
