import { expect, test } from "vitest";
import type { LiveEvent } from "../../src/ports/live-event.ts";
import { openLiveOutput } from "../../src/runner/live-output.ts";

function open() {
  const events: LiveEvent[] = [];
  const stamped: number[] = [];
  const live = openLiveOutput({
    path: "/fix#1",
    kind: "agent.message",
    secrets: ["sk-very-secret-key"],
    now: () => `${stamped.push(1)}`,
    emit: (event) => events.push(event),
  });
  return {
    live,
    stamped,
    events,
    texts: () =>
      events.map((event) =>
        "usage" in event
          ? `${event.usage.output_tokens} tokens`
          : "text" in event
            ? event.text
            : `${event.tool}: ${event.about}`,
      ),
  };
}

test("pieces of any size become events of a line each, blank lines left out", () => {
  const { live, texts } = open();
  for (const piece of ["I re", "ad it.\n\nNow I", " fix", " it\r\nDone"]) live.text(piece);
  expect(texts()).toEqual(["I read it.", "Now I fix it"]);
  live.end();
  expect(texts()).toEqual(["I read it.", "Now I fix it", "Done"]);
});

test("a line keeps its indentation, and loses the blanks at its end", () => {
  const { live, texts } = open();
  live.text("  at add (a.js)  \t\n \n");
  expect(texts()).toEqual(["  at add (a.js)"]);
});

test("a secret is struck also where it came in pieces", () => {
  const { live, texts } = open();
  for (const piece of ["key sk-very", "-secret", "-key.\n"]) live.text(piece);
  live.tool({ name: "Bash", about: "echo sk-very-secret-key" });
  expect(texts()).toEqual(["key ***.", "Bash: echo ***"]);
});

test("usage is an event of its own, as numbers that can be counted", () => {
  const { live, texts } = open();
  live.usage({ input_tokens: 1, output_tokens: 7, cost_usd: 0 });
  live.usage({ input_tokens: 1, output_tokens: Number.NaN, cost_usd: 0 });
  expect(texts()).toEqual(["7 tokens", "0 tokens"]);
});

test("each event says when, where and what it is", () => {
  const { live, events } = open();
  live.tool({ name: " Read\n", about: `${"long ".repeat(100)}\ud83d\ude00` });
  live.text("I read it.\n");
  live.usage({ input_tokens: 1, output_tokens: 7, cost_usd: 0 });
  const at = { at: expect.any(String), path: "/fix#1" };
  expect(events).toMatchObject([
    { ...at, type: "agent.tool", tool: "Read", about: "long ".repeat(40) },
    { ...at, type: "agent.message", text: "I read it." },
    { ...at, type: "agent.usage", usage: { output_tokens: 7 } },
  ]);
  const clean: LiveEvent[] = [];
  const check = openLiveOutput({
    path: "/fix#1?1",
    kind: "check.output",
    more: { clean: true },
    secrets: [],
    now: () => "now",
    emit: (event) => clean.push(event),
  });
  check.text("ok\n".repeat(2_000));
  expect(clean).toHaveLength(1_000);
  expect(clean[0]).toEqual({ at: "now", path: "/fix#1?1", type: "check.output", text: "ok", clean: true });
  expect(clean.at(-1)).toMatchObject({
    type: "check.output",
    text: expect.stringContaining("further"),
    clean: true,
  });
});

test("a tool call ends the line before it", () => {
  const { live, texts } = open();
  live.text("I look at it");
  live.tool({ name: "Read", about: "a\nb" });
  expect(texts()).toEqual(["I look at it", "Read: a b"]);
});

test("output that is not shown costs no work", () => {
  const { live, stamped } = open();
  for (let at = 0; at < 5_000; at++) live.text(`${at}\n`);
  expect(stamped.length).toBeLessThan(1_010);
});

test("neither endless lines nor endless output grow without bound", () => {
  const { live, texts } = open();
  live.text("x".repeat(100_000));
  for (let at = 0; at < 5_000; at++) live.text(`${at}\n`);
  expect(texts()).toHaveLength(1_000);
  expect(texts().at(-1)).toBe("… further output is not shown");
  expect(texts()[0]).toHaveLength(2_000);
});
