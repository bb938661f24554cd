import { describe, expect, test } from "vitest";
import type { CliDefinition } from "../../../src/agents/cli/cli-definition.ts";
import type { Conversation } from "../../../src/agents/cli/conversation.ts";
import { type Rates, totalsAfter, usageOfCall } from "../../../src/agents/cli/usage.ts";
import type { AgentRequest, Usage } from "../../../src/ports/agent.ts";

const usage = (input_tokens: number, cost_usd: number): Usage => ({
  input_tokens,
  output_tokens: 0,
  cost_usd,
});

interface Case {
  readonly reported?: Usage;
  readonly counted?: Usage;
  readonly before?: Usage;
  readonly totals: CliDefinition["totals"];
  readonly rates?: Rates;
}

const costOf = ({ reported, counted, before, totals, rates = new Map() }: Case) =>
  usageOfCall(
    { result: { usage: reported } as never, counted },
    {
      cli: { totals } as CliDefinition,
      request: { model: "m" } as AgentRequest,
      conversation: { totals: before, isCutOff: false } as Conversation,
      rates,
    },
  );

describe("a program that reports running totals of its conversation", () => {
  const [before, reported] = [usage(100, 1), usage(150, 1.5)];

  test("of tokens (codex, copilot) is charged the difference", () => {
    expect(costOf({ reported, before, totals: { tokens: true, cost: false } })).toEqual(usage(50, 1.5));
  });

  test("of money is charged the difference", () => {
    expect(costOf({ reported, before, totals: { tokens: false, cost: true } })).toEqual(usage(150, 0.5));
  });

  test("is charged everything in its first call, and after a total that restarted", () => {
    const totals = { tokens: true, cost: true };
    expect(costOf({ reported, totals })).toEqual(reported);
    expect(costOf({ reported: usage(30, 0.3), before, totals })).toEqual(usage(30, 0.3));
  });
});

test("a program that reports each call is charged what it reports", () => {
  const totals = { tokens: false, cost: false };
  expect(costOf({ reported: usage(150, 1.5), before: usage(100, 1), totals })).toEqual(usage(150, 1.5));
});

test("tokens that passed the key proxy count more than the program's report", () => {
  const totals = { tokens: true, cost: false };
  expect(costOf({ reported: usage(150, 1.5), counted: usage(60, 0), before: usage(100, 1), totals })).toEqual(
    usage(60, 1.5),
  );
});

test("a call that reports nothing costs what earlier calls of its model paid per token", () => {
  const rates: Rates = new Map();
  const totals = { tokens: false, cost: false };
  costOf({ reported: usage(100, 2), totals, rates });
  expect(costOf({ counted: usage(50, 0), totals, rates })).toEqual(usage(50, 1));
});

test("totals are remembered only for programs that report them", () => {
  const definition = (tokens: boolean, cost: boolean) => ({ totals: { tokens, cost } }) as CliDefinition;
  expect(totalsAfter(usage(1, 1), definition(true, false))).toEqual(usage(1, 1));
  expect(totalsAfter(usage(1, 1), definition(false, true))).toEqual(usage(1, 1));
  expect(totalsAfter(usage(1, 1), definition(false, false))).toBeUndefined();
});
