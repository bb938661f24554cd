import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "../build.ts";
import type { Bench } from "./bench.ts";
import { byTurns, ms, timed } from "./figures.ts";
import { inFolder } from "./scene.ts";

const run = promisify(execFile);

/** A whole process, from its start to its end, beside one that has nothing to do. */
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
      const [ours, bare] = await besideNothing(empty, ["--help"]);
      const [check, beside] = await besideNothing(empty, ["check", workflow, "--quiet"]);
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
          reference: reference(beside),
          ratio: check / beside,
        },
      ];
    });
  },
  measurements: {},
};

const program = "dist/until-green.js";

const besideNothing = (empty: string, words: readonly string[]) =>
  byTurns(
    21,
    () => timed(() => run(process.execPath, [program, ...words])),
    () => timed(() => run(process.execPath, [empty])),
  );
