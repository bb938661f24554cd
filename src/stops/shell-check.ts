import { z } from "zod";
import { formatDuration } from "../expressions/duration.ts";
import { boundScript } from "../expressions/render.ts";
import { shellText } from "../expressions/template.ts";
import { defined } from "../ports/defined.ts";
import type { Infer } from "../ports/infer.ts";
import type { ShellAnswer, ShellRequest } from "../ports/shell.ts";
import { askingStop, type Verdict } from "./stop.ts";
import { forms } from "./stop-key.ts";

const defaultTimeoutMs = 10 * 60_000;

const spec = z.strictObject({
  kind: z.literal("until-bash"),
  script: shellText,
  timeoutMs: z.number().positive().exactOptional(),
  /** How often a red check runs again before it counts. */
  retries: z.int().nonnegative(),
  /**
   * `keep`: green requires the tests that ran before; with `review`, a person decides about missing ones. Absent in
   * plans of versions without this check.
   */
  tests: z.enum(["keep", "review", "any"]).exactOptional(),
  /** Exit code 0 is not green if the output counts failed tests; absent in plans of versions that compared them only. */
  redIfTestsFailed: z.literal(true).exactOptional(),
  /**
   * Exit codes and crashes are the program's own, which may be the bug; the check is broken only if bash could not
   * start it. Absent in plans of versions that took all exit codes above 125 for broken.
   */
  rarelyBroken: z.literal(true).exactOptional(),
  /** How often in a row it must be green; default 1, or 2 for a check known to be flaky. */
  confirm: z.int().positive().exactOptional(),
  /** How often it runs; it is green only if no run fails. */
  stress: z.int().min(2).exactOptional(),
  /** Whether the check must also pass in a fresh clone; by default, if one can be prepared. */
  clean: z.boolean().exactOptional(),
  /** A clone in which it fails gets what nothing has touched; absent in plans of versions without that. */
  completesClone: z.literal(true).exactOptional(),
  /** The first clone is checked before the first agent; absent in plans of versions that made it after the last. */
  clonesFirst: z.literal(true).exactOptional(),
  /** Bash that prepares a fresh clone. */
  setup: z.string().exactOptional(),
});

export type ShellCheck = Infer<typeof spec>;

/** A plan with this stop loads it. */
export { afterCheck } from "../checks/after-check.ts";

/** Stops when a script exits 0. */
export const bash = askingStop({
  spec,
  words: { name: "check", until: "the check passes", ended: "the check passed" },
  key: {
    name: "until_bash",
    cost: 10,
    meaning: "Done when this script exits 0; see [Checks](#checks).",
    holds: forms.shell,
    spec: (script, { check }) =>
      check.stress !== undefined && (check.retries || check.confirm)
        ? {
            complaint: "`stress` already runs the check several times.",
            hint: "Remove `retries` and `confirm`.",
          }
        : {
            kind: "until-bash",
            script,
            retries: check.retries ?? 0,
            tests: check.tests ?? "review",
            ...(check.tests === "any" ? {} : { redIfTestsFailed: true }),
            rarelyBroken: true,
            completesClone: true,
            clonesFirst: true,
            ...defined({
              timeoutMs: check.timeout,
              confirm: check.confirm,
              stress: check.stress,
              setup: check.setup,
            }),
            ...(check.clean === undefined ? {} : { clean: check.clean === true || check.clean === "on" }),
          },
  },
  port: "shell",
  ask({ script, timeoutMs }, { scope }): ShellRequest {
    return {
      role: "check",
      ...boundScript(script, scope),
      timeoutMs: timeoutMs ?? defaultTimeoutMs,
    };
  },
  read({ timeoutMs, rarelyBroken, script }, answer): Verdict {
    const limit = formatDuration(timeoutMs ?? defaultTimeoutMs);
    if (answer.timedOut) return { verdict: "go-on", because: `ran over its limit of ${limit}` };
    const isPiped = script.script.includes("|");
    const fault =
      rarelyBroken && !(isPiped && answer.exitCode === 141) ? startFault(answer) : faultOf(answer);
    if (fault !== undefined)
      return { verdict: "go-on", broken: true, because: withLastLine(fault, answer.tail) };
    return { verdict: answer.exitCode === 0 ? "done" : "go-on", because: endOf(answer) };
  },
});

function endOf({ exitCode, signal, tail }: ShellAnswer): string {
  if (exitCode === undefined) return `ended by ${signal}`;
  const isMissing = exitCode === 127 && missingScript.test(tail);
  return isMissing ? withLastLine(unstarted({ exitCode, tail }), tail) : `exit ${exitCode}`;
}

/**
 * Why bash could not start the check: only that says nothing about the work. A file of the checkout that is missing or
 * not executable can be the work itself.
 */
function startFault({ exitCode, signal, syntaxError, tail }: ShellAnswer): string | undefined {
  if (syntaxError) return `exit ${exitCode ?? 2}: the script has a syntax error`;
  if (exitCode === undefined && signal === undefined) return "ended without an exit code";
  if (exitCode !== 126 && exitCode !== 127) return undefined;
  const [, command] = byBash.exec(tail) ?? [];
  if (command === undefined || /^[^/].*\//.test(command)) return undefined;
  return unstarted({ exitCode, tail });
}

function unstarted({ exitCode, tail }: { readonly exitCode: 126 | 127; readonly tail: string }): string {
  if (exitCode === 126) return "exit 126: cannot be executed";
  return `exit 127: ${missingScript.test(tail) ? "file" : "command"} not found`;
}

/** What exit code 141 means in a script that runs with `pipefail`. */
const brokenPipe =
  "a program in a pipe wrote more than the next one read (`head`, `grep -q`); let that one read it all";

const byBash =
  /^(?:\S*\/)?(?:bash|script\.sh): line \d+: (.+): (?:command not found|No such file or directory|Permission denied|Is a directory|cannot execute\b.*)$/m;

/** Why a result says nothing about the work: the check itself is broken. */
function faultOf({ exitCode, signal, syntaxError, tail }: ShellAnswer): string | undefined {
  if (syntaxError) return `exit ${exitCode ?? 2}: the script has a syntax error`;
  if (signal !== undefined) return `killed by ${signal}`;
  if (exitCode === undefined) return "ended without an exit code";
  if (exitCode === 126 || exitCode === 127) return unstarted({ exitCode, tail });
  if (exitCode === 141) return `exit ${exitCode}: ${brokenPipe}`;
  if (exitCode > 128 && exitCode < 160) return `exit ${exitCode}: killed by signal ${exitCode - 128}`;
  return undefined;
}

/** A shell's last line about a script that it was given. */
const missingScript = /^\S*sh: .*(?:No such file or directory|can't open.*|cannot open.*)\s*$/im;

function withLastLine(fault: string, tail: string): string {
  const last = tail.trimEnd().split("\n").at(-1)?.replaceAll(/\s+/g, " ").trim() ?? "";
  return last === "" ? fault : `${fault}: \`${last.slice(0, 200)}\``;
}
