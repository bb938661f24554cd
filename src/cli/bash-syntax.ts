import { isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { remedies } from "../compile/remedies.ts";
import { isInArchonsFolder } from "../dialects/dialect.ts";
import { whatStrictnessChanges } from "../expressions/shell-strictness.ts";
import type { SourceFile } from "../local/workflow-files.ts";
import type { Diagnostic } from "../plan/diagnostic.ts";
import { childEnvironment } from "../processes/environment.ts";
import { runProcess } from "../processes/process.ts";
import { stopKeys } from "../stops/index.ts";
import { forms } from "../stops/stop-key.ts";

interface Script {
  readonly text: string;
  /** The position of the script's first line in the file. */
  readonly line: number;
  readonly column: number;
}

/**
 * Scripts of a native file that bash cannot parse; otherwise bash would report it only after an agent was paid. Warns of
 * those that versions before `-eo pipefail` understood in another way.
 */
export async function bashFaults({ file, text }: SourceFile): Promise<readonly Diagnostic[]> {
  const faults: Diagnostic[] = [];
  for (const { text: script, line, column } of scriptsIn(text)) {
    const fault = await faultIn(script);
    if (fault === undefined) {
      const change = isInArchonsFolder(file) ? undefined : whatStrictnessChanges(script);
      if (change !== undefined) faults.push({ ...strictness(change), file, line, column });
      continue;
    }
    // Bash counts lines from the start of the script.
    const isBlock = script.includes("\n");
    const at = isBlock ? line + Math.min(fault.line, script.trimEnd().split("\n").length) : line;
    const message = `Bash cannot parse this script: ${fault.why}`;
    const hint = "Try it with `bash -n`. A word such as `fi`, `done` or a quote may be missing.";
    faults.push({ code: "BAD_SHELL", message, file, line: at, column: isBlock ? 1 : column, hint });
  }
  return faults;
}

const strictness = (change: string) => ({
  code: "STRICT_SHELL" as const,
  message: `This script runs with \`-eo pipefail\`, like a \`run:\` step: ${change}. Earlier versions went on.`,
  hint: remedies.STRICT_SHELL,
  warning: true,
});

/** The keys of scripts, with the key of the mapping they belong to if other mappings may have them. */
const scriptKeys: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    stopKeys.filter(({ holds }) => holds === forms.shell).map(({ name }) => [name, undefined]),
  ),
  bash: undefined,
  metric: "loop",
  setup: "check",
};

function scriptsIn(text: string): readonly Script[] {
  const lines = new LineCounter();
  const scripts: Script[] = [];
  visit(parseDocument(text, { lineCounter: lines }), {
    Pair(_, pair, ancestors) {
      const key = keyOf(pair);
      if (key === undefined || !Object.hasOwn(scriptKeys, key)) return;
      const owner = scriptKeys[key];
      if (owner !== undefined && keyOf(ancestors.at(-2)) !== owner) return;
      if (!isScalar(pair.value) || typeof pair.value.value !== "string" || !pair.value.range) return;
      const { line, col } = lines.linePos(pair.value.range[0]);
      scripts.push({ text: pair.value.value, line, column: col });
    },
  });
  return scripts;
}

const keyOf = (pair: unknown): string | undefined =>
  isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : undefined;

interface ShellFault {
  readonly line: number;
  readonly why: string;
}

/** Asks bash itself, with extended patterns enabled: the script may enable them before it uses them. */
async function faultIn(script: string): Promise<ShellFault | undefined> {
  let fault: ShellFault | undefined;
  for (const options of [["-n"], ["-n", "-O", "extglob"]]) {
    const { exitCode, stderr } = await runProcess({
      command: "bash",
      args: ["--norc", ...options, "-c", script],
      cwd: process.cwd(),
      env: childEnvironment(process.env, {}),
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    });
    if (exitCode === 0 || exitCode === undefined) return undefined;
    const [, line = "1", why = "syntax error"] = /line (\d+): (?:syntax error: ?)?(.*)/.exec(stderr) ?? [];
    fault ??= { line: Number(line), why };
  }
  return fault;
}
