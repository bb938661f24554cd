import { relative } from "node:path";
import { placeInside } from "../workspace-file.ts";
import {
  count,
  cut,
  listed,
  mostOf,
  numberOf,
  path,
  run,
  type ToolArguments,
  text,
  type Workshop,
  type WorkTool,
  wordOf,
  yes,
} from "./work-tool.ts";

/** Finds lines. Files that git ignores, such as builds, are skipped: they would fill the answer with copies. */
export const grepTool: WorkTool = {
  description:
    "Finds the lines that match an extended regular expression. Files that git ignores are searched only below a `path` in which nothing else matches.",
  properties: {
    pattern: text("The expression."),
    path,
    include: text("Only in files whose name matches this, like *.ts."),
    context: count("Lines to show before and after each."),
    ignore_case: yes("Take upper and lower case for the same."),
    limit: count("How many lines; the default is 200."),
  },
  required: ["pattern"],
  isReading: true,
  async use(input, workshop) {
    const { workspace } = workshop.context;
    const place = await placeInside(workspace, wordOf(input, "path", "."));
    const end = await searched(input, { place, workshop });
    if (end.exitCode === 1) return "no line matches";
    if (end.exitCode !== 0 && end.stdout === "") throw new Error(end.tail.trim() || "grep failed");
    const lines = end.stdout.replaceAll(`${workspace}/`, "").trimEnd().split("\n");
    const short = lines.map((line) => (line.length > 500 ? `${line.slice(0, 500)}…` : line));
    return cut(listed(short, { most: mostOf(input, 200), advice: "narrow the expression or the path" }));
  },
};

interface Searching {
  /** The file or folder, as an absolute path. */
  readonly place: string;
  readonly workshop: Workshop;
}

/**
 * Searches with git, which knows ignored files; with grep if git fails, or finds nothing at a path that was named.
 */
async function searched(input: ToolArguments, { place, workshop }: Searching) {
  const around = Math.min(numberOf(input, "context") ?? 0, 20);
  const include = wordOf(input, "include", "");
  const how = [
    ...["-nIE", ...(input["ignore_case"] === true ? ["-i"] : []), ...(around > 0 ? [`-C${around}`] : [])],
    ...["-e", wordOf(input, "pattern")],
  ];
  const below = relative(workshop.context.workspace, place);
  const names = below === "" ? [] : [`:(literal)${below}`];
  const matching = include === "" ? [] : [`:(glob)${escaped(below)}${below === "" ? "" : "/"}**/${include}`];
  const git = [
    ...safely,
    "grep",
    "--untracked",
    "--no-color",
    ...how,
    "--",
    ...(include === "" ? names : matching),
    notInstalled,
  ];
  const end = await run({ command: "git", args: git, seconds: 60 }, workshop);
  if (end.exitCode === 0 || (end.exitCode === 1 && below === "")) return end;
  const skipped = [".git", "node_modules"].map((name) => `--exclude-dir=${name}`);
  const only = include === "" ? [] : [`--include=${include}`];
  return await run(
    { command: "grep", args: ["-r", ...how, ...skipped, ...only, "--", place], seconds: 60 },
    workshop,
  );
}

/** Keeps the checkout's git configuration from starting programs. */
const safely = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];

const notInstalled = ":(exclude,glob)**/node_modules/**";

const escaped = (folder: string) => folder.replace(/[*?[\]\\]/g, "\\$&");
