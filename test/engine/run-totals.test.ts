import { describe, expect, test } from "vitest";
import {
  budgetNotices,
  createRunTotals,
  exhaustedBudget,
  insufficientBudget,
  minBudget,
} from "../../src/engine/run-totals.ts";
import type { Budget } from "../../src/plan/plan.ts";

const usage = (cost_usd: number, input_tokens = 0, output_tokens = 0) => ({
  cost_usd,
  input_tokens,
  output_tokens,
});

/** The totals of a run that spent this. */
function totalsOf(spent: ReturnType<typeof usage>, minutes = 0) {
  const totals = createRunTotals();
  totals.spend(spent, undefined);
  totals.tick("2026-01-01T00:00:00.000Z", false);
  totals.tick(new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString(), false);
  return totals;
}

describe("messages", () => {
  const totals = createRunTotals();
  totals.queueMessage("fix", { from: "ann", text: "one" });
  totals.queueMessage("test", { from: "bob", text: "two" });
  totals.queueMessage("/fix", { from: "ann", text: "three" });

  test("are seen by every name of a node, in the order they were sent, and stay", () => {
    const seen = [
      { from: "ann", text: "one" },
      { from: "ann", text: "three" },
    ];
    expect(totals.waiting(["fix", "/fix"])).toEqual(seen);
    expect(totals.waiting(["fix", "/fix"])).toEqual(seen);
    expect(totals.waiting(["none"])).toEqual([]);
  });

  test("are taken out one by one, if name, sender and text fit", () => {
    expect(totals.takeOut(["test"], { from: "ann", text: "two" })).toBe(false);
    expect(totals.takeOut(["test"], { from: "bob", text: "one" })).toBe(false);
    expect(totals.takeOut(["fix"], { from: "bob", text: "two" })).toBe(false);
    expect(totals.takeOut(["/fix", "fix"], { from: "ann", text: "three" })).toBe(true);
    expect(totals.undelivered()).toEqual([
      { to: "fix", from: "ann", text: "one" },
      { to: "test", from: "bob", text: "two" },
    ]);
  });

  test("are taken all at once by a node's names, and then are gone", () => {
    expect(totals.takeMessages(["fix", "/fix"])).toEqual([{ from: "ann", text: "one" }]);
    expect(totals.takeMessages(["fix", "/fix"])).toEqual([]);
    expect(totals.undelivered()).toEqual([{ to: "test", from: "bob", text: "two" }]);
  });
});

test("usage and tags add up; iterations and limits are kept", () => {
  const totals = createRunTotals({ usd: 1 });
  totals.spend(usage(0.5, 10, 5), "retry");
  totals.spend(usage(0.25, 1, 2), "retry");
  totals.spend(undefined, "quiet");
  totals.countIteration();
  totals.countIteration();
  expect(totals).toMatchObject({ usage: usage(0.75, 11, 7), iterations: 2, limits: { usd: 1 } });
  expect([...totals.tags]).toEqual([
    ["retry", 2],
    ["quiet", 1],
  ]);
  totals.allow({ tokens: 7 });
  expect(totals.limits).toEqual({ tokens: 7 });
});

test("time counts from the first event on, but not while the run is paused, and never backwards", () => {
  const totals = createRunTotals();
  const tick = (second: number, isPaused = false) => {
    totals.tick(new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(), isPaused);
    return totals.activeMs;
  };
  expect([tick(10), tick(12), tick(20, true), tick(21), tick(5), tick(6)]).toEqual([
    0, 2000, 2000, 3000, 3000, 4000,
  ]);
});

describe("notices after an answer", () => {
  const notices = (budget: Budget, spent: ReturnType<typeof usage> | undefined, minutes = 0) =>
    budgetNotices(budget, totalsOf(spent ?? usage(0), minutes), { agent: "claude", usage: spent }).map(
      ({ code, message }) => `${code} ${message}`,
    );

  test("name what an agent does not report, if the budget limits it", () => {
    const money =
      "USAGE_UNKNOWN claude does not report what its calls cost, so the budget of 1 USD cannot limit it: limit its iterations and minutes";
    const tokens =
      "USAGE_UNKNOWN claude does not report how many tokens its calls take, so the budget of 9 tokens cannot limit it: limit its iterations and minutes";
    expect(notices({ usd: 1 }, undefined)).toEqual([money]);
    expect(notices({ usd: 1 }, usage(0, 1))).toEqual([money]);
    expect(notices({ usd: 1 }, usage(0, 0, 1))).toEqual([money]);
    expect(notices({ usd: 1 }, usage(0, 1, 1))).toEqual([money]);
    expect(notices({ usd: 1 }, usage(0))).toEqual([]);
    expect(notices({ usd: 1 }, usage(0.1))).toEqual([]);
    expect(notices({ tokens: 9 }, undefined)).toEqual([tokens]);
    expect(notices({ tokens: 9 }, usage(0, 1))).toEqual([]);
    expect(notices({ usd: 1, tokens: 9 }, undefined)).toEqual([tokens]);
    expect(notices({ minutes: 1 }, undefined)).toEqual([]);
  });

  test("warn of what is spent, from the threshold on", () => {
    const warnings = [{ usd: 0.3 }, { tokens: 12 }, { minutes: 2.5 }];
    expect(notices({ warnings }, usage(0.29, 5, 6), 2.4)).toEqual([]);
    expect(notices({ warnings }, usage(0.1 + 0.2, 5, 7), 2.5)).toEqual([
      "BUDGET_WARNING 0.30 USD spent; the workflow asks for a warning at 0.3 USD",
      "BUDGET_WARNING 12 tokens spent; the workflow asks for a warning at 12 tokens",
      "BUDGET_WARNING active for 2.5 minutes; the workflow asks for a warning at 2.5 minutes",
    ]);
  });

  test("are given once per run, each threshold for itself", () => {
    const totals = totalsOf(usage(1));
    const spent = { agent: undefined, usage: undefined };
    const budget = { usd: 2, warnings: [{ usd: 0.5 }, { usd: 0.5 }, { usd: 0.9 }] };
    expect(budgetNotices(budget, totals, spent)).toEqual([
      {
        code: "USAGE_UNKNOWN",
        message:
          "the agent does not report what its calls cost, so the budget of 2 USD cannot limit it: limit its iterations and minutes",
      },
      { code: "BUDGET_WARNING", message: "1.00 USD spent; the workflow asks for a warning at 0.5 USD" },
      { code: "BUDGET_WARNING", message: "1.00 USD spent; the workflow asks for a warning at 0.9 USD" },
    ]);
    expect(budgetNotices(budget, totals, spent)).toEqual([]);
  });
});

test.each<[Budget, string | undefined]>([
  [{}, undefined],
  [{ usd: 1.01, tokens: 31, minutes: 5.01 }, undefined],
  [{ usd: 1 }, "the budget of 1 USD is used up (1.00 USD spent)"],
  [{ usd: 0.5, tokens: 30 }, "the budget of 0.5 USD is used up (1.00 USD spent)"],
  [{ usd: 2, tokens: 30, minutes: 5 }, "the budget of 30 tokens is used up (30 spent)"],
  [{ minutes: 5 }, "the budget of 5 minutes is used up"],
])("after 1 USD, 30 tokens and 5 minutes, %j says: %s", (budget, text) => {
  expect(exhaustedBudget(budget, totalsOf(usage(1, 10, 20), 5))).toBe(text);
});

describe("the next call", () => {
  const refused = (
    budget: Budget,
    expected: { readonly usd: number; readonly tokens: number },
    reserved = { usd: 0, tokens: 0 },
  ) => {
    const totals = totalsOf(usage(1, 60, 40));
    totals.reservations.reserve({ path: "/other", node: "other", amount: reserved });
    return insufficientBudget(budget, totals, { node: "fix", expected });
  };
  const free = { usd: 0, tokens: 0 };

  test("is made if what is spent, reserved and expected fits, to the cent", () => {
    expect(refused({}, { usd: 9, tokens: 9 })).toBeUndefined();
    expect(refused({ usd: 1.3, tokens: 150 }, { usd: 0.1, tokens: 20 }, { usd: 0.2, tokens: 30 })).toBe(
      undefined,
    );
  });

  test("is not made for more, and the reason adds up what counts", () => {
    expect(refused({ usd: 1.3 }, { usd: 0.11, tokens: 0 }, { usd: 0.2, tokens: 0 })).toBe(
      "the budget of 1.3 USD does not cover another call of fix (1.00 USD spent, 0.20 USD reserved for calls in flight, about 0.11 USD expected)",
    );
    expect(refused({ tokens: 150 }, { usd: 0, tokens: 50.6 })).toBe(
      "the budget of 150 tokens does not cover another call of fix (100 tokens spent, about 51 tokens expected)",
    );
  });

  test("is not made if nothing is left, even if it is expected to cost nothing", () => {
    expect(refused({ usd: 1.2 }, free, { usd: 0.2, tokens: 0 })).toBe(
      "the budget of 1.2 USD does not cover another call of fix (1.00 USD spent, 0.20 USD reserved for calls in flight)",
    );
    expect(refused({ usd: 1.21 }, free, { usd: 0.2, tokens: 0 })).toBeUndefined();
    expect(refused({ usd: 1, tokens: 1 }, free)).toBe("the budget of 1 USD is used up (1.00 USD spent)");
  });
});

test.each<[Budget, Budget, Budget]>([
  [{}, {}, {}],
  [
    { usd: 1, tokens: 5 },
    { usd: 2, minutes: 3 },
    { usd: 1, tokens: 5, minutes: 3 },
  ],
  [
    { usd: 3, tokens: 5, minutes: 9 },
    { usd: 2, tokens: 6, minutes: 8 },
    { usd: 2, tokens: 5, minutes: 8 },
  ],
  [{ warnings: [{ usd: 1 }] }, { warnings: [{ usd: 2 }] }, { warnings: [{ usd: 1 }, { usd: 2 }] }],
  [{ warnings: [{ usd: 1 }] }, {}, { warnings: [{ usd: 1 }] }],
  [{}, { warnings: [{ usd: 2 }] }, { warnings: [{ usd: 2 }] }],
])("of the budgets %j and %j, %j counts", (one, other, least) => {
  expect(minBudget(one, other)).toStrictEqual(least);
});
