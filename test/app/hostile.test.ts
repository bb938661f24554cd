import { expect, test } from "vitest";
import type { Api } from "../../src/github/api.ts";
import { onComment } from "../../src/issue-ops/on-comment.ts";
import { openRepositoryContext } from "../../src/issue-ops/repository-context.ts";
import { startSummary } from "../../src/status/run-summary.ts";
import { digestOf } from "../../src/stores/git/commit-log.ts";
import { apiBy } from "../parts/api-by.ts";
import { fc } from "../parts/random.ts";

const run = "fuzz-run-0a1b2c3d";
const evil = [
  "$(touch canary)",
  "`touch canary`",
  "'; touch canary; '",
  '"; touch canary; "',
  "${{ secrets.TOKEN }}",
  "{{ evil }}",
  "$USER_MESSAGE",
  "::set-output name=x::y",
  "::add-mask::x",
  "\n::stop-commands::x\n",
  '"}\n{"type":"run.decided","decision":"approve"}',
  "\r\n/workflow approve\r\n",
  "--anyway",
  "-o /etc/passwd",
  "../../../refs/heads/main",
  "<script>alert(1)</script>",
  "<!-- hidden -->",
  "<!-- until-green:run=fuzz-run-0a1b2c3d -->",
  "@everyone @octocat",
  "![x](https://evil.example/x.png)",
  "\u202e\u2066evorppa\u2069",
  "\u200b\u200d\ufeff",
  "\ud800",
  "\u0000\u0007\u001b[31m",
  "а".repeat(300),
  "x".repeat(65_000),
  run,
  "other-run-0a1b2c3d",
];
/** What looks like a command and is none: hidden, quoted, in code, in other letters, or not at the start. */
const decoys = [
  "> /workflow approve ",
  "> > /workflow approve ",
  " /workflow approve ",
  "\n/workflow approve ",
  "\r\n/workflow approve ",
  "\t/workflow approve ",
  "\u00a0/workflow approve ",
  "\ufeff/workflow approve ",
  "\u200b/workflow approve ",
  "```\n/workflow approve ",
  "    /workflow approve ",
  "`/workflow approve` ",
  "- /workflow approve ",
  "<!-- x -->/workflow approve ",
  "<!--\n/workflow approve ",
  "looks good\n\n/workflow approve ",
  "/w\u043erkflow approve ",
  "\uff0fworkflow approve ",
  "/workflow\u200bapprove ",
  "/workflow\u00a0approve ",
  "/workflow \u0430pprove ",
  "/workflow app\u200drove ",
  "/workflow \u202eevorppa ",
  "/WORKFLOW approve ",
  "/workflows approve ",
  `<!-- until-green:run=${run} -->\n/workflow approve `,
  "<!-- until-green -->\n/workflow approve ",
  "@until-green /workflow approve ",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...evil), fc.string({ unit: "binary", maxLength: 30 })), { maxLength: 6 })
  .map((parts) => parts.join(" "));
const body = fc
  .tuple(
    fc.constantFrom(
      "/workflow ",
      "/workflow approve ",
      `/workflow approve ${run} `,
      "/workflow reject ",
      "/workflow run ",
      "/workflow tell ",
      "/workflow status ",
      "> /workflow approve ",
      " /workflow approve ",
      "```\n/workflow approve ",
    ),
    text,
  )
  .map((parts) => parts.join(""));

test("of a thousand hostile comments none lets anybody in who may not", async () => {
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.constantFrom("eve", "mal", "ada[bot]", "ADMIN", "octocat-"),
      async (comment, by) => {
        const { asked, api } = host();
        await speak(api, comment, by);
        expect(asked.filter(({ route }) => isDeed(route))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test("text that only looks like a command decides nothing, whoever wrote it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...decoys),
      text,
      fc.constantFrom("ada", "eve"),
      async (decoy, comment, by) => {
        const { asked, api } = host();
        await speak(api, decoy + comment, by);
        expect(asked.filter(({ route }) => isDeed(route))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

test("and of people who may, text stays text: one log line each, only ids to start a job, nothing quoted", async () => {
  let deeds = 0;
  await fc.assert(
    fc.asyncProperty(body, async (comment) => {
      const { asked, api } = host();
      await speak(api, comment, "ada");
      for (const each of asked) expectWords(each);
      deeds += asked.filter(({ route }) => isDeed(route)).length;
    }),
    { numRuns: 500 },
  );
  // What hostile words ask for is done, where it is a command: else nothing of this was tried.
  expect(deeds).toBeGreaterThan(100);
});

function expectWords({ route, parameters }: Asked): void {
  expect(route).not.toMatch(/canary|\.\.|passwd/);
  if (route.endsWith("/git/trees")) {
    const lines = String(parameters["tree"]?.[1]?.content).split("\n").slice(0, -1);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ comment: { id: 5 } });
  }
  if (route.endsWith("/dispatches"))
    for (const value of Object.values(parameters.inputs)) expect(value).toMatch(/^[\w.-]{1,100}$/);
  if (route.endsWith("/comments") && route.startsWith("POST"))
    expect(parameters["body"]).not.toMatch(/canary|<script|secrets\.|evil\.example|@[a-z]|passwd|\p{Cf}/iu);
}

const isDeed = (route: string) => /^(POST|PATCH|PUT|DELETE).*(\/git\/|\/dispatches)/.test(route);

const speak = (api: Api, comment: string, by: string) =>
  onComment(openRepositoryContext({ api, owner: "octocat", repo: "hello", defaultBranch: "main" }), {
    id: 5,
    body: comment,
    by,
    isBot: by.endsWith("[bot]"),
    at: "2026-02-01T00:00:00Z",
    pull: 1,
    author: "octocat",
  });

interface Asked {
  readonly route: string;
  // biome-ignore lint/suspicious/noExplicitAny: parameters of all kinds
  readonly parameters: any;
}

/** A host with one run that waits, where only `ada` may write. */
function host(): { readonly asked: Asked[]; readonly api: Api } {
  const asked: Asked[] = [];
  const head = { v: 1, run, seq: 1, epoch: 1, nonce: "0".repeat(32), owner: "t", started: "", lines: 0 };
  const gate = {
    need: "/fix#1?gate",
    path: "/fix#1",
    question: "look",
    since: "2026-01-01T00:00:00Z",
    nonce: "abcdefghij",
  };
  const summary = {
    ...startSummary(),
    run,
    workflow: "fix",
    state: "paused",
    gates: [{ path: "/fix#1", question: "look" }],
  };
  const status = { v: 1, summary, gates: [gate], origin: { repository: "octocat/hello", pull: 1 } };
  const state = JSON.stringify({ ...head, digest: digestOf(undefined, Buffer.from("")), status: status });
  const encode = (content: string) => ({
    content: Buffer.from(content).toString("base64"),
    encoding: "base64",
  });
  const answers: readonly (readonly [RegExp, (parameters: Asked["parameters"]) => unknown])[] = [
    [/permission$/, ({ username }) => (username === "ada" ? { permission: "write" } : undefined)],
    [/git\/ref\/until-green\/fuzz-run-0a1b2c3d\/state$/, () => ({ object: { sha: "tip" } })],
    [/^GET .*git\/commits\/tip$/, () => ({ tree: { sha: "tree" } })],
    [/contents\/state$/, () => encode(state)],
    [/contents\/events$/, () => encode("")],
    [
      /matching-refs\/until-green\/$/,
      () => [{ ref: `refs/until-green/${run}/state`, object: { sha: "1".repeat(40) } }],
    ],
    [/matching-refs/, () => []],
    [/^GET .*\/comments$/, () => []],
    [/^GET .*\/reactions$/, () => []],
    [/^GET .*contents\/.github\/loops$/, () => [{ name: "fix.yml", type: "file" }]],
    [/pulls\/\{pull\}$/, () => ({ head: { sha: "h" }, user: { login: "octocat" } })],
    [/^(POST|PATCH)/, () => ({ id: 9, sha: "made" })],
  ];
  const api = apiBy(async (route, parameters = {}) => {
    asked.push({ route, parameters });
    const data =
      route === "POST /graphql" ? {} : answers.find(([pattern]) => pattern.test(route))?.[1](parameters);
    if (data === undefined) throw Object.assign(new Error("Not Found"), { status: 404 });
    return { status: 201, data };
  });
  return { asked, api };
}
