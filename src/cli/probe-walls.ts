import type { Isolation } from "../ports/isolation.ts";
import { runProcess } from "../processes/process.ts";

const script = `
{ : > .until-green-probe-$$ && rm .until-green-probe-$$; } 2> /dev/null && echo "can write in the checkout" || echo "CANNOT write in the checkout"
ls > /dev/null 2>&1 && echo "read it" || echo "CANNOT read it"
git --version > /dev/null 2>&1 && echo "start git" || echo "CANNOT start git"
getent hosts localhost > /dev/null 2>&1 && echo "resolve names" || echo "CANNOT resolve names"
`;

/** Starts a program behind the walls of a checkout: what it can do there. */
export async function probeWalls(
  isolation: Isolation,
  cwd: string,
): Promise<{ readonly ok: boolean; readonly says: string }> {
  const end = await runProcess({
    command: "sh",
    args: ["-c", script],
    cwd,
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    wrap: (launch) => isolation.wrap(launch),
  });
  const lines = end.stdout.trim().split("\n");
  const isWhole = end.exitCode === 0 && lines.length === 4;
  const failed = lines.filter((line) => line.startsWith("CANNOT"));
  if (!isWhole) return { ok: false, says: `a program did not start: ${end.stderr.trim() || end.how}` };
  return {
    ok: failed.length === 0,
    says: `a program ${(failed.length > 0 ? failed : lines).join(", ").replaceAll("CANNOT", "cannot")}`,
  };
}
