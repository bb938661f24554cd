import type { Escalation } from "../../plan/attempts.ts";
import type { ForEachNode, LoopNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { readIterationLimit } from "../iteration-limit.ts";
import { isMapping, parseFields } from "../parse-fields.ts";
import { isNamedAsRemedy, reportFault, warnOfKeys } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import { bareAnswer, warnIfNotInteractive } from "./approval.ts";
import { readAttempts } from "./attempts.ts";
import { readBody } from "./body.ts";
import { isBlank, readDefaults } from "./call.ts";
import { readForEach } from "./for-each.ts";
import { readGlobs } from "./globs.ts";
import { readModel } from "./model-names.ts";
import type { Names } from "./names-in-scope.ts";
import { type LoopContext, type RawLoop, readOnError, readWhole, refuse, refuseWithout } from "./raw-loop.ts";
import type { RawNode } from "./raw-node.ts";
import type { ReaderContext } from "./reader-context.ts";
import { loopFields, nodeFields } from "./schema.ts";
import { type ReadStops, readStops } from "./stops.ts";
import { readShell, readText } from "./templates.ts";

/** Reads a loop that repeats until something says stop, or over a list. */
export function readLoop(
  reader: ReaderContext,
  rawNode: RawNode,
  context: LoopContext,
): LoopNode | ForEachNode | undefined {
  const at = [...rawNode.at, context.key];
  const raw = rawNode.raw[context.key];
  const fields = parseFields(raw, { fields: loopFields, at, faults: reader.faults, advice });
  if (!isMapping(raw)) return undefined;
  const loop: RawLoop = { rawNode, at, raw, fields };
  checkAccumulate(reader, loop, context.names);
  return Object.hasOwn(raw, "for_each")
    ? readForEach(reader, loop, context)
    : readRepeat(reader, loop, context);
}

function advice(key: string): string | undefined {
  return Object.hasOwn(nodeFields, key) ? `\`${key}\` belongs on the node, beside \`loop:\`.` : undefined;
}

function readRepeat(
  reader: ReaderContext,
  loop: RawLoop,
  context: LoopContext,
): LoopNode | ForEachNode | undefined {
  const { fields } = loop;
  const keys = ["isolation", "spread", "batch", "max_parallel"];
  refuse(reader, loop, { keys, because: "works only with `for_each`" });
  const { body, names } = readBody(reader, loop, context);
  const read = readStops(reader, loop, names);
  const { specs: stops, baseline, checkWalls } = read;
  const max = readMax(reader, loop);
  const gate = readGate(reader, loop, names);
  const best = readBest(reader, loop, names);
  if (body === undefined || max === undefined) return undefined;
  const protect = readGlobs(reader, loop, "protect") ?? [];
  const guard = readGuard(reader, loop);
  const onProtectedChange = fields.on_protected_change === "gate" ? "gate" : undefined;
  if (onProtectedChange) warnIfNotInteractive(reader, [...loop.at, "on_protected_change"]);
  const node: LoopNode = {
    ...context.base,
    ...readWhole(reader, loop),
    kind: "loop",
    body,
    stops,
    mode: fields.until_mode ?? "any",
    max,
    onMax: fields.on_max ?? "fail",
    onError: readOnError(reader, loop),
    ...(fields.on_error === "forget" ? { forgetsFailures: true } : {}),
    session: fields.fresh_context ? "fresh" : "threaded",
    delayMs: fields.delay ?? 0,
    output: fields.output ?? "last",
    baseline,
    protect,
    ...protectionOf(loop, read),
    ...(fields.review === true ? { review: true } : {}),
    ...(fields.no_progress === undefined ? {} : { progress: progressOf(fields.no_progress) }),
    ...readEscalation(reader, loop, context),
    ...defined({ gate, accumulate: fields.accumulate, checkWalls, guard, onProtectedChange, best }),
  };
  return readAttempts(reader, loop, { context, node });
}

/** With `on_protected_change: gate`, a person is asked at once. */
function protectionOf(
  { fields, raw }: RawLoop,
  { protected: effect = fields.on_protected_change === "gate" ? "refuse" : "review" }: ReadStops,
): Pick<LoopNode, "protected"> {
  if (!Object.hasOwn(raw, "until_bash") || effect === "refuse") return {};
  return { protected: effect };
}

/** Tests are protected by their names unless the author disables it. */
function readGuard(reader: ReaderContext, loop: RawLoop): LoopNode["guard"] {
  const { protect } = loop.fields;
  const allow = readGlobs(reader, loop, "allow") ?? [];
  if (Object.hasOwn(loop.raw, "until_bash"))
    return { allow, tests: protect === undefined || protect.length > 0 };
  refuseWithout(reader, loop, { keys: ["allow", "review"], partner: "until_bash" });
  return undefined;
}

/** A single number applies to both. */
function progressOf(
  limits: NonNullable<RawLoop["fields"]["no_progress"]>,
): NonNullable<LoopNode["progress"]> {
  if (typeof limits === "number") return { sameFailure: limits, noChange: limits };
  const { same_failure, no_change } = limits;
  return defined({ sameFailure: same_failure, noChange: no_change });
}

/** The stronger agent or model of a loop that makes no progress. */
function readEscalation(
  reader: ReaderContext,
  { rawNode, fields, at }: RawLoop,
  { enclosing }: LoopContext,
): { readonly escalate?: Escalation } {
  if (fields.escalate === undefined) return {};
  const { after = 2, agent, model } = fields.escalate;
  const place = [...at, "escalate"];
  if (agent === undefined && model === undefined) {
    const message = "`escalate` needs an `agent`, a `model`, or both.";
    reportFault(reader, "BAD_VALUE", { hint: "Add one of them.", message, at: place });
  }
  if (agent !== undefined) checkAgent(reader, agent, [...place, "agent"]);
  const own = readDefaults(reader, rawNode, enclosing.defaults);
  const stronger = readModel(reader, { agent, model }, place);
  const by = defined({ agent: stronger.agent ?? agent, model: stronger.model });
  return { escalate: { after, by, insteadOf: defined({ agent: own.agent, model: own.model }) } };
}

function readMax(reader: ReaderContext, loop: RawLoop): number | undefined {
  const { max_iterations: max } = loop.raw;
  const isMissing = max === undefined || max === null;
  if (isMissing && isNamedAsRemedy(reader, loop.at, ["max_iterations"])) return undefined;
  return readIterationLimit(reader, loop, {
    key: "max_iterations",
    most: 10_000,
    missing: "Add `max_iterations: 10`, for example.",
    example: "Write `max_iterations: 10`, for example.",
  });
}

function readGate(reader: ReaderContext, { fields, at, raw }: RawLoop, names: Names): LoopNode["gate"] {
  const message = fields.gate_message ?? undefined;
  const place = [...at, "gate_message"];
  if (fields.interactive !== true) {
    const idle = (key: string) => `\`${key}\` has no effect: the loop never waits for a person.`;
    const hint = "Add `interactive: true` beside it.";
    warnOfKeys(reader, { keys: ["gate_message", "signal_completes"], object: raw, at, message: idle, hint });
    return message === undefined ? undefined : void readText(reader, { source: message, at: place, names });
  }
  warnIfNotInteractive(reader, [...at, "interactive"]);
  if (message === undefined || isBlank(message)) {
    const isThere = Object.hasOwn(raw, "gate_message");
    const message = "An interactive loop needs a `gate_message`: what people read when it waits.";
    return reportFault(reader, "GATE_MESSAGE_MISSING", {
      message,
      at: isThere ? place : [...at, "interactive"],
      onKey: !isThere,
    });
  }
  const text = readText(reader, { source: message, at: place, names });
  return { message: text, signalCompletes: fields.signal_completes ?? true, ...bareAnswer(reader) };
}

function readBest(reader: ReaderContext, loop: RawLoop, names: Names): LoopNode["best"] {
  const { fields, at } = loop;
  const { metric } = fields;
  const place = [...at, "metric"];
  if (fields.keep !== "best") {
    refuseWithout(reader, loop, { keys: ["metric", "direction"], partner: "keep: best" });
    return undefined;
  }
  if (metric === undefined || isBlank(metric)) {
    const message = "`keep: best` needs a `metric`: bash that prints a number.";
    return reportFault(reader, "BAD_VALUE", { message, at: metric === undefined ? [...at, "keep"] : place });
  }
  return {
    metric: readShell(reader, { source: metric, at: place, names }),
    direction: fields.direction ?? "max",
    fromStart: true,
  };
}

function checkAccumulate(reader: ReaderContext, { fields, at }: RawLoop, names: Names): void {
  const name = fields.accumulate;
  if (name === undefined) return;
  const place = [...at, "accumulate"];
  if (!/^[A-Za-z_]\w{0,99}$/.test(name)) {
    reportFault(reader, "BAD_VALUE", {
      message: `\`${name}\` cannot be the name of a variable.`,
      at: place,
      hint: "A name is a letter or _, then up to 99 letters, digits and _.",
    });
  } else if (names.values.has(name) || ["INPUTS", "LOOP_PREV", "LOOP_ITEM"].includes(name)) {
    reportFault(reader, "BAD_VALUE", {
      message: `\`$${name}\` is already used for something else.`,
      at: place,
    });
  }
}
