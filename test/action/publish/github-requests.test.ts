import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { startsChecks, withRetry } from "../../../action/publish/github-requests.ts";

/** The pauses that a test would have to wait for. */
function recordPauses() {
  const pauses: unknown[] = [];
  const waits = vi.spyOn(timers, "setTimeout").mockImplementation(async (pause) => {
    pauses.push(pause);
    return undefined as never;
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    waits.mockRestore();
    syncBuiltinESMExports();
  });
  return pauses;
}

test.each([0, 500, 503])(
  "a request that fails with %s is repeated, at longer and longer intervals",
  async (status) => {
    const pauses = recordPauses();
    let tries = 0;
    const ask = async () => {
      tries += 1;
      if (tries < 4) throw Object.assign(new Error("away"), { status });
      return "done";
    };
    expect(await withRetry(ask)).toBe("done");
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
  },
);

test("a host that stays away is an error after a minute", async () => {
  const pauses = recordPauses();
  const away = Object.assign(new Error("away"), { status: 502 });
  let tries = 0;
  const ask = async () => {
    tries += 1;
    if (tries < 10) throw away;
  };
  await expect(withRetry(ask)).rejects.toBe(away);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000]);
});

test.each([404, 422, 499, undefined])("a request that fails with %s is not repeated", async (status) => {
  const pauses = recordPauses();
  const refused = Object.assign(new Error("no"), { status });
  await expect(withRetry(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(pauses).toEqual([]);
});

const run = { conclusion: null };
const ofApp = { app: { slug: "other-ci" } };
test.each([
  ["at once", [[run]], true, 0],
  ["at the second look", [[], [run]], true, 1],
  ["at the third look", [[], [], [run]], true, 2],
  ["too late", [[], [], [], [run]], false, 2],
  ["never, as they wait for approval", [[{ conclusion: "action_required" }]], false, 2],
  ["by another app", [[ofApp]], true, 0],
])("checks of a commit that appear %s", async (...[, looks, isChecked, pauses]) => {
  const waited = recordPauses();
  let look = 0;
  const github = {
    at: { owner: "o", repo: "r" },
    async request(route: string) {
      const listed: readonly object[] = looks[look] ?? [];
      if (route.endsWith("/check-suites")) look += 1;
      return {
        data: {
          workflow_runs: listed.filter((one) => "conclusion" in one),
          check_suites: listed.filter((one) => "app" in one),
        },
      };
    },
  };
  expect(await startsChecks(github as unknown as Parameters<typeof startsChecks>[0], "c")).toBe(isChecked);
  expect(waited).toEqual(Array(pauses).fill(1_500));
});

test("checks that may not be read are assumed", async () => {
  const waited = recordPauses();
  const github = { at: {}, request: () => Promise.reject(new Error("403")) };
  expect(await startsChecks(github as unknown as Parameters<typeof startsChecks>[0], "c")).toBe(true);
  expect(waited).toEqual([]);
});
