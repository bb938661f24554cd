import { styleText } from "node:util";
import { git } from "../git/git.ts";
import { showControlCharacters } from "../render/escape.ts";
import { type ExitCode, exit } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { snapshotsOf, withSnapshotErrors } from "./iteration-snapshots.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { findLocation } from "./run-environment.ts";

interface DiffOptions extends CommonOptions {
  readonly node?: string;
  readonly stat?: boolean;
}

/** `until-green diff RUN [N] [M]`: shows what the run, one iteration, or the iterations after N up to M changed. */
export async function diffCommand(
  id: string | undefined,
  [from, to = from]: readonly number[],
  options: DiffOptions,
): Promise<ExitCode> {
  const location = await findLocation(options);
  const runId = await findRun(location.store, id);
  const snapshots = await snapshotsOf(location, runId, options.node);
  const ends =
    from === undefined || to === undefined
      ? { from: snapshots.first, to: snapshots.last }
      : snapshots.between(from, to);
  const isTerminal = process.stdout.isTTY === true;
  // Git quotes the names that `--stat` prints; the lines of a patch are the agent's own.
  const colour = isTerminal && options.stat ? "--color=always" : "--color=never";
  const shown = options.stat ? "--stat" : "--patch";
  const { gitDir } = snapshots;
  const args = ["diff", colour, shown, "--no-ext-diff", "--no-textconv", ends.from, ends.to];
  const { out } = await withSnapshotErrors(runId, gitDir, () =>
    git({ cwd: location.cwd, args, env: { GIT_DIR: gitDir } }),
  );
  const text = Buffer.from(out, "latin1").toString("utf8");
  print(isTerminal && !options.stat ? colored(showControlCharacters(text)) : text);
  return exit.ok;
}

/** A patch in git's colours. */
function colored(patch: string): string {
  let isHeader = true;
  const lines = patch.split("\n").map((line) => {
    isHeader = line.startsWith("diff ") || (isHeader && !line.startsWith("@@ "));
    const style = isHeader ? "bold" : styles[line[0] ?? ""];
    return style === undefined || line === "" ? line : styleText(style, line);
  });
  return lines.join("\n");
}

const styles: Readonly<Record<string, "red" | "green" | "cyan">> = { "-": "red", "+": "green", "@": "cyan" };
