import { describe, expect, test } from "vitest";
import { checkName, checkPage, readButton } from "../../src/render/check-run.ts";
import { stickyComment, stickyMarker } from "../../src/render/sticky-comment.ts";
import type { RunStatus } from "../../src/status/run-status.ts";
import { type Summary, startSummary, summarizeEvents } from "../../src/status/run-summary.ts";
import { eventsOf, greenRun, iteration, loopStarted, runStarted, waitingRun } from "./run-events.ts";

const site = {
  server: "https://github.example",
  repository: "o/r",
};

const runStatus = (summary: Summary, more: Partial<RunStatus> = {}): RunStatus => ({
  v: 1,
  summary,
  gates: summary.gates.map(({ path, question }) => ({
    need: path,
    path,
    question,
    since: "2026-01-01T00:00:00Z",
    nonce: "0123456789",
    head: undefined,
  })),
  origin: undefined,
  job: { run: 7, attempt: 1 },
  work: undefined,
  ...more,
});

const green = runStatus(summarizeEvents(greenRun));
const waiting = (message: string) => runStatus(summarizeEvents(waitingRun(message)));

describe("the sticky comment", () => {
  test("begins with its marker, shows a row for each iteration, and links the job", () => {
    const body = stickyComment(green, site);
    expect(body.split("\n")[0]).toBe("<!-- until-green:run=fix-tests-7f3a -->");
    expect(body).toContain("| 2 |");
    expect(body).toContain("❌\u00a07\u00a0→\u00a04 failing");
    expect(body).toContain("```mermaid");
    expect(body).toContain("[job log](https://github.example/o/r/actions/runs/7)");
  });

  test("links every row to what its iteration changed, the first one too", () => {
    const links = [...stickyComment(green, site).matchAll(/\/compare\/(\w+)\.\.\.(\w+)\)/g)];
    expect(links.map(([, from, to]) => [from, to])).toEqual([
      ["00000000", "11111111"],
      ["11111111", "22222222"],
      ["22222222", "33333333"],
    ]);
  });

  test.each(["🟢", "👩‍👩‍👧‍👦", "\ud83d", "<b>&|`*"])(
    "is never longer than GitHub takes, with 10,000 iterations that all say %j",
    (piece) => {
      const text = piece.repeat(1_000);
      const runEvents = Array.from({ length: 10_000 }, (_, at) => iteration(at + 1, at % 7));
      const events = eventsOf(runStarted, loopStarted, ...runEvents.flat()).map((event) =>
        event.type === "stop.tested"
          ? { ...event, because: text }
          : event.type === "iteration.ended"
            ? { ...event, output: text }
            : event,
      );
      const summary = summarizeEvents(events);
      for (const shown of [summary, { ...summary, workflow: text, agent: text, because: text }]) {
        const body = stickyComment(runStatus(shown), site);
        expect(body.length).toBeLessThanOrEqual(65_536);
        expect(body.isWellFormed()).toBe(true);
        expect(body.includes("| 10000 |")).toBe(true);
        expect(body).toContain("job log");
      }
    },
  );

  test("keeps the link to the run's page that another has put into its last line, and no other", () => {
    const page = "https://app.example/runs/o/r/fix-tests-7f3a?key=1-a";
    const before = stickyComment(green, { ...site, page });
    expect(before).toContain(`[follow it live](${page})`);
    expect(stickyComment(green, site, { before })).toBe(before);
    const status = runStatus({
      ...green.summary,
      output: "\n<sub>[follow it live](https://evil.example)</sub>\n",
    });
    expect(stickyComment(status, site, { before: stickyComment(status, site) })).toBe(
      stickyComment(status, site),
    );
  });

  test("says a note before all else, and never gets too long for it", () => {
    const body = stickyComment(runStatus({ ...green.summary, output: "`~".repeat(60_000) }), site, {
      note: "Look. ".repeat(500),
    });
    expect(body).toMatch(/^<!-- until-green:run=fix-tests-7f3a -->\n> \[!WARNING\]\n> Look\. /);
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toContain("### ✅");
  });

  test("shows a gate's text where it can neither mention, nor command, nor close its block", () => {
    const body = stickyComment(
      waiting("@octocat\n```\n/workflow approve fix-tests-7f3a\n<!-- x --> <img src=x>"),
      site,
    );
    const quote = body.split("\n").filter((line) => line.startsWith(">"));
    expect(quote).toEqual([
      "> @&#8203;octocat",
      "> ```",
      "> /workflow approve fix-tests-7f3a",
      "> <!-- x --> <img src=x>",
      "> ```",
      "> Tried number 1.",
    ]);
    expect(body).not.toContain("@octocat");
    expect(body).toContain("as a new comment");
  });

  test("names the exact commands where the gate's own text does not", () => {
    const body = stickyComment(waiting("Shall I?"), site);
    expect(body).toContain("/workflow approve fix-tests-7f3a");
    expect(body).toContain("/workflow reject fix-tests-7f3a <why>");
  });

  test.each([60_000, 400_000])(
    "is never longer than GitHub takes, with a gate of %d characters",
    (length) => {
      const text = "`~".repeat(length / 2);
      const summary = {
        ...summarizeEvents(waitingRun(text)),
        output: text,
        because: text,
        workflow: text.slice(0, 1_000),
      };
      const body = stickyComment(runStatus(summary), site);
      expect(body.length).toBeLessThanOrEqual(65_536);
      expect(body).toContain(stickyMarker("fix-tests-7f3a"));
      expect(body).toContain("job log");
    },
  );
});

describe("the check", () => {
  test.each([
    ["success", { state: "ended", conclusion: "success" }, ["completed", "success"]],
    ["failure", { state: "ended", conclusion: "failure" }, ["completed", "failure"]],
    ["an end without a word", { state: "ended", conclusion: undefined }, ["completed", "failure"]],
    ["cancelled", { state: "ended", conclusion: "cancelled" }, ["completed", "cancelled"]],
    ["skipped", { state: "ended", conclusion: "skipped" }, ["completed", "skipped"]],
    ["a gate", { state: "paused", stopReason: "gate" }, ["completed", "action_required"]],
    ["the time being up", { state: "paused", stopReason: "time-limit" }, ["completed", "neutral"]],
    ["work", { state: "running" }, ["in_progress", undefined]],
  ] as const)("says of %s what GitHub calls it", (_, more, called) => {
    const page = checkPage(runStatus({ ...startSummary(), ...more }), site);
    expect([page.status, page.conclusion]).toEqual(called);
    expect(page.title).not.toBe("");
  });

  test("has buttons that name the gate they were shown for, within GitHub's limits", () => {
    const { actions } = checkPage(waiting("Shall I?"), site);
    expect(actions.map(({ identifier }) => readButton(identifier))).toEqual([
      { verb: "approve", nonce: "0123456789" },
      { verb: "reject", nonce: "0123456789" },
      { verb: "stop", nonce: "0123456789" },
    ]);
    for (const { label, description, identifier } of actions) {
      expect([label.length <= 20, description.length <= 40, identifier.length <= 20]).toEqual([
        true,
        true,
        true,
      ]);
    }
    expect(checkPage(green, site).actions).toEqual([]);
    expect(checkPage(runStatus({ ...startSummary(), state: "running" }), site).actions).toMatchObject([
      { identifier: "stop" },
    ]);
  });

  test.each(["approve:", "approve:0123456789x", "delete:0123456789", "stop:../../", ""])(
    "knows %j for no button of its own",
    (identifier) => expect(readButton(identifier)).toBeUndefined(),
  );

  test("annotates lines that the run said something of, fifty at most, and fits whatever it holds", () => {
    const notice = {
      type: "notice",
      code: "LIMIT",
      message: "m".repeat(9_000),
      file: "a.yml",
      line: 3,
    } as const;
    const notices = { first: Array(60).fill(notice), left: 0, last: [] };
    const summary: Summary = {
      ...summarizeEvents(greenRun),
      notices,
      output: "x".repeat(100_000),
      workflow: "w".repeat(300),
    };
    const page = checkPage(runStatus(summary), site);
    expect(page.annotations).toHaveLength(50);
    expect(page.annotations[0]).toMatchObject({ path: "a.yml", line: 3, level: "warning" });
    expect(page.summary.length).toBeLessThanOrEqual(65_535);
    // GitHub shows the title above the summary.
    expect(page.title).toContain("succeeded");
    expect(page.summary).not.toMatch(/^### /m);
    expect(checkName(summary).length).toBeLessThanOrEqual(100);
  });
});
