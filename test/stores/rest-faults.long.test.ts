import { expect, onTestFinished, test } from "vitest";
import { openGitHub } from "../../src/github/client.ts";
import { restRefs } from "../../src/stores/rest-ref.ts";
import { seedRun, tipOf } from "../parts/app-repository.ts";
import type { Fault } from "../parts/github-host/faults.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";

const run = "rest-run-0a1b2c3d";
const at = "2026-01-02T00:00:00.000Z";

const limit = { status: 429, message: "Too many requests", headers: { "retry-after": "1" } };
const steps = [/graphql$/, /^POST .*\/git\/trees$/, /^POST .*\/git\/commits$/, /^PATCH .*\/git\/refs\//];
const faults: readonly Fault[] = [
  limit,
  { ...limit, status: 403, message: "You have exceeded a secondary rate limit" },
  ...[500, 502, 503].map((status) => ({ status })),
  { halve: true },
  { drop: true },
  { refuse: true },
  // Longer than one attempt may take.
  { delayMs: 1_500 },
];
test.each(faults)("whichever request of an append meets %j: the line is on record once", async (fault) => {
  for (const step of steps) {
    const github = await openGitHubHost();
    onTestFinished(() => github.close());
    seedRun(github, { run });
    const api = openGitHub({
      token: github.token,
      repository: "octocat/hello",
      apiUrl: github.url,
      timeoutMs: 1_000,
      secondMs: 20,
    });
    const refs = restRefs({ api, owner: "octocat", repo: "hello" });
    github.fault(step, fault, 1);
    const { tip } = await refs.look(run);
    if (tip === undefined) throw new Error("the run is not there");
    const commit = await refs.append(tip, { lines: ['{"a":1}'], owner: "me", at });
    expect(commit, String(step)).toBe(github.git.git("rev-parse", `refs/until-green/${run}/state`));
    expect(tipOf(github, run)).toMatchObject({ state: { seq: 2, owner: "me" }, events: [{ a: 1 }] });
    expect(github.journal.some(({ path, method }) => step.test(`${method} ${path}`))).toBe(true);
  }
});
