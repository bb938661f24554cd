import { setTimeout as wait } from "node:timers/promises";
import { type GitHub, loadGitHub } from "../../src/api/github.ts";

/**
 * Repeats a request while the host is unavailable (no response, or 5xx). Only for requests that detect the effect of
 * an earlier try.
 */
export async function withRetry<T>(ask: () => Promise<T>): Promise<T> {
  for (let pause = 1_000; ; pause *= 2) {
    try {
      return await ask();
    } catch (error) {
      const { status } = error as { readonly status?: unknown };
      const isAway = status === 0 || Number(status) >= 500;
      if (!isAway || pause > 32_000) throw error;
      await wait(pause);
    }
  }
}

/** True if GitHub runs a check on this commit. Asks three times, because checks start with a delay. */
export async function startsChecks(github: GitHub, commit: string): Promise<boolean> {
  const { isChecked } = await loadGitHub();
  for (let look = 0; look < 3; look++) {
    if (look > 0) await wait(1_500);
    // Without permission to read checks, assume that there are some.
    if (await isChecked(github, commit).catch(() => true)) return true;
  }
  return false;
}
