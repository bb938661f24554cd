import { expect, test } from "vitest";
import { createBudgetReservations } from "../../src/engine/budget-reservations.ts";

const spent = (cost_usd: number) => ({ input_tokens: cost_usd * 1_000, output_tokens: 0, cost_usd });

function after(...costs: readonly number[]) {
  const reservations = createBudgetReservations();
  for (const [index, cost] of costs.entries()) {
    reservations.reserve({ path: `/fix#${index}`, node: "fix", amount: { usd: 0, tokens: 0 } });
    reservations.settle(`/fix#${index}`, spent(cost));
  }
  return reservations;
}

test("a node's next call is expected to cost the mean of its last three", () => {
  expect(after(100, 1, 2, 3).expected("fix")).toEqual({ usd: 2, tokens: 2_000 });
});

test("while others run, it may cost the maximum of its last three", () => {
  expect(after(100, 1, 3, 2).share("fix", { usd: 1_000 })).toEqual({ usd: 3, tokens: 3_000 });
});

test("a node without a call of its own is judged by the last three of the run", () => {
  expect(after(100, 1, 3, 2).share("other", { usd: 1_000 })).toEqual({ usd: 3, tokens: 3_000 });
});

test("the first call may take a quarter of the budget", () => {
  expect(createBudgetReservations().share("fix", { usd: 8, tokens: 40_000 })).toEqual({
    usd: 2,
    tokens: 10_000,
  });
});

test("the first call may take a cent and a thousand tokens of any budget, also of none", () => {
  const least = { usd: 0.01, tokens: 1_000 };
  const { share, expected } = createBudgetReservations();
  expect([share("fix", {}), share("fix", { usd: 0.02, tokens: 10 })]).toEqual([least, least]);
  expect(expected("fix")).toEqual({ usd: 0, tokens: 0 });
});

test("a call that nobody reserved, or that reported nothing, teaches nothing", () => {
  const reservations = after(1);
  reservations.settle("/other", spent(9));
  reservations.reserve({ path: "/fix#9", node: "fix", amount: { usd: 0, tokens: 0 } });
  reservations.settle("/fix#9", undefined);
  expect(reservations.expected("fix")).toEqual({ usd: 1, tokens: 1_000 });
  expect(reservations.share("other", {})).toEqual({ usd: 1, tokens: 1_000 });
});

test("a reservation counts until its call has ended", () => {
  const reservations = createBudgetReservations();
  reservations.reserve({ path: "/a", node: "a", amount: { usd: 1, tokens: 10 } });
  reservations.reserve({ path: "/b", node: "b", amount: { usd: 2, tokens: 20 } });
  expect(reservations.reserved()).toEqual({ usd: 3, tokens: 30 });
  expect(reservations.callsInFlight()).toBe(2);
  reservations.settle("/a", undefined);
  expect(reservations.reserved()).toEqual({ usd: 2, tokens: 20 });
  expect(reservations.callsInFlight()).toBe(1);
});
