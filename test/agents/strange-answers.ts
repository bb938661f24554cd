import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished } from "vitest";
import {
  type Agent,
  type AgentAnswer,
  AgentError,
  type AgentFault,
  addUsage,
  noUsage,
} from "../../src/ports/agent.ts";
import {
  bodyOf,
  eventsOf,
  type Fault,
  openFaultyModel,
  refuses,
  resets,
  says,
  writeEvents,
} from "../parts/faulty-model.ts";
import { scripted, type ToolUse } from "../parts/model-server.ts";
import { agentContext, ask } from "./agent.contract.ts";

/** How an agent's model calls for a command, with any value for it. */
export type Runs = (command: unknown) => ToolUse;

/** An answer that no provider documents, in the middle of a turn. */
export interface Strange {
  readonly title: string;
  fault(runs: Runs): Fault;
  /** The class of the failure, if the turn cannot continue, and a part of the message that says what to do. */
  readonly fails?: readonly [AgentFault, RegExp];
  /** The class of the failure after which `api` continues the turn; programs may retry by themselves. */
  readonly passes?: AgentFault;
  /** The steps that are done; default the first, and the one after the fault. */
  readonly done?: readonly string[];
}

const call = (runs: Runs, command: unknown, id = "t1") => {
  const { name, args } = runs(command);
  return { id, name, json: JSON.stringify(args) };
};

/** The second step is the model's own, as a script counts its messages. */
const onlyFirst = ["s1"];

const busy = { type: "overloaded_error", message: "Overloaded" };
const slow = { type: "rate_limit_error", message: "slow down" };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toUTCString();

/** What strangers' endpoints, gateways and proxies do. */
export const strangeAnswers: readonly Strange[] = [
  {
    title: "a web page with 200",
    fault: () => bodyOf("text/html", "<html>Sign in</html>"),
    passes: "network",
  },
  {
    title: "a redirect",
    fault: () => (response) => void response.writeHead(307, { location: "https://models.example/" }).end(),
    passes: "network",
  },
  { title: "a stream without an event", fault: () => bodyOf("text/event-stream", ""), passes: "network" },
  { title: "200 with nothing", fault: () => bodyOf(undefined, ""), passes: "network" },
  { title: "200 with null", fault: () => bodyOf("application/json", "null"), passes: "network" },
  { title: "200 with other JSON", fault: () => bodyOf("application/json", '{"ok":true}'), passes: "network" },
  { title: "200 with plain text", fault: () => bodyOf("text/plain", "upstream busy"), passes: "network" },
  {
    title: "no gzip, where it says gzip",
    fault: () => bodyOf("text/event-stream", "no gzip at all", { "content-encoding": "gzip" }),
    passes: "network",
  },
  {
    title: "gzip that breaks off",
    fault: () =>
      bodyOf("text/event-stream", gzipSync("data: {}\n\n".repeat(1_000)).subarray(0, 30), {
        "content-encoding": "gzip",
      }),
    passes: "network",
  },
  {
    title: "bytes that are no text",
    fault: () => bodyOf("text/event-stream", Buffer.from([255, 254, 0, 10, 10])),
    passes: "network",
  },
  { title: "a connection that is reset", fault: () => resets, passes: "network" },
  {
    title: "an error after half of the text",
    fault: () => (response, wire) => {
      writeEvents(response, wire, eventsOf(wire, { text: "in vain" }).slice(0, -2));
      const error =
        wire === "responses"
          ? { type: "error", code: "server_is_overloaded", message: "Trouble" }
          : { type: "error", error: busy };
      writeEvents(response, wire, [error]);
      response.end();
    },
    passes: "overloaded",
  },
  {
    title: "a call whose arguments break off",
    fault: (runs) =>
      says({
        calls: [
          {
            ...call(runs, "echo bad >> steps.txt"),
            json: call(runs, "echo bad >> steps.txt").json.slice(0, -8),
          },
        ],
      }),
    done: onlyFirst,
  },
  {
    title: "a call with an argument of the wrong type",
    fault: (runs) => says({ calls: [call(runs, ["echo", 1])] }),
    done: onlyFirst,
  },
  {
    title: "a call of a tool that is not there",
    fault: () => says({ calls: [{ id: "t1", name: "no_such_tool", json: "{}" }] }),
    done: onlyFirst,
  },
  {
    title: "two calls of one id",
    fault: (runs) => says({ calls: [call(runs, "echo a >> steps.txt"), call(runs, "echo b >> steps.txt")] }),
    done: ["s1", "a", "b"],
  },
  {
    title: "408",
    fault: () => refuses(408, { type: "timeout", message: "Request timeout" }),
    passes: "network",
  },
  {
    title: "409",
    fault: () => refuses(409, { type: "conflict_error", message: "Conflict" }),
    passes: "network",
  },
  { title: "425", fault: () => refuses(425, { type: "too_early", message: "Too early" }), passes: "network" },
  {
    title: "529 until a date that is past",
    fault: () => refuses(529, busy, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }),
    passes: "overloaded",
  },
  {
    title: "529 for three days",
    fault: () => refuses(529, busy, { "retry-after": inDays(3) }),
    passes: "overloaded",
  },
  {
    title: "429 for a time that is none",
    fault: () => refuses(429, slow, { "retry-after": "soon" }),
    passes: "rate-limit",
  },
  {
    title: "429 for a negative time",
    fault: () => refuses(429, slow, { "retry-after": "-5" }),
    passes: "rate-limit",
  },
  {
    title: "429 for the tokens of a day",
    fault: () =>
      refuses(429, {
        type: "tokens",
        code: "rate_limit_exceeded",
        message:
          "Rate limit reached for m on tokens per day (TPD): Limit 9, Used 9, Requested 1. Please try again in 7h12m0s.",
      }),
    passes: "rate-limit",
  },
  {
    title: "a key that is revoked",
    fault: () => refuses(401, { type: "authentication_error", message: "API key has been revoked" }),
    fails: ["auth", /secret \w+_API_KEY \(401\): API key has been revoked; set a key that is valid there/],
    done: onlyFirst,
  },
];

/** A model that is not there any more, and one that will not answer. Claude Code retries both by itself. */
export const finalAnswers: readonly Strange[] = [
  {
    title: "a model that is retired",
    fault: () =>
      refuses(404, { type: "not_found_error", code: "model_not_found", message: "The model `m` is retired" }),
    fails: ["refused", /The model `m` is retired; set a model that it offers/],
    done: onlyFirst,
  },
  {
    title: "a refusal",
    fault: () =>
      says({
        stop: { messages: "refusal", responses: "content_filter", chat: "content_filter", gemini: "SAFETY" },
      }),
    fails: ["refused", /refused to answer; change the prompt, or set another model/],
    done: onlyFirst,
  },
];

interface Playing {
  readonly strange: Strange;
  readonly runs: Runs;
  readonly model: string;
  /** The server behind. */
  readonly upstream: string;
  /** Opens the agent for a model server at this URL. */
  open(url: string): Agent;
}

/** Plays a turn of two steps with a strange answer between them, as the runner would: again while what fails passes. */
export async function playStrange({ strange, runs, model, upstream, open }: Playing) {
  let isDue = true;
  let length = 0;
  const front = await openFaultyModel(upstream, (body) => {
    // Not the first request of the turn, nor one beside it.
    if (!isDue || !body.includes("[[SCRIPT]]") || !secondStep.test(body)) return undefined;
    isDue = false;
    length = Buffer.byteLength(body);
    return strange.fault(runs);
  });
  onTestFinished(front.close);
  const steps = ["s1", "s2"].map((name) => ({ tools: [runs(`echo ${name} >> steps.txt`)] }));
  const request = ask({ model, prompt: scripted("Go.", [...steps, { text: "Done." }]), timeoutMs: 60_000 });
  const [agent, context] = [open(front.url), agentContext()];
  const failures: AgentError[] = [];
  let answer: AgentAnswer | undefined;
  let spent = noUsage;
  while (answer === undefined && failures.length < 3) {
    try {
      answer = await agent.answer(request, context);
    } catch (error) {
      expect(error).toBeInstanceOf(AgentError);
      const { usage = noUsage, fault } = error as AgentError;
      failures.push(error as AgentError);
      spent = addUsage(spent, usage);
      if (!passing.includes(fault)) break;
    }
  }
  const file = join(context.workspace, "steps.txt");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return { answer, failures, lines, spent: addUsage(spent, answer?.usage), wasPlayed: !isDue, length };
}

const passing: readonly AgentFault[] = ["rate-limit", "overloaded", "network"];

/** A request that holds the result of a tool, in each protocol. */
const secondStep = /"tool_result"|"function_call_output"|"role":"tool"|"functionResponse"/;

/** What holds for every agent. */
export function expectStrange(strange: Strange, played: Awaited<ReturnType<typeof playStrange>>): void {
  const { answer, failures, lines, spent, wasPlayed, length } = played;
  expect(wasPlayed).toBe(true);
  expect(lines).toEqual(strange.done ?? ["s1", "s2"]);
  const [failure] = failures;
  if (strange.fails === undefined) {
    expect(answer?.text).toBe("Done.");
    if (failure !== undefined) expect(failure.fault).toBe(strange.passes);
    // Three answers, and the strange one if it was paid: by the usage it reports, or by the length of its request.
    expect(spent.input_tokens).toBeLessThanOrEqual(300 + Math.max(100, Math.ceil(length / 4)));
  } else {
    const [fault, message] = strange.fails;
    expect(answer).toBeUndefined();
    expect(failure).toMatchObject({ fault, message: expect.stringMatching(message) });
  }
}
