import type { AttemptAgent, Attempts } from "../../plan/attempts.ts";
import type { ForEachNode, LoopNode, ShellNode } from "../../plan/plan.ts";
import { defined } from "../../ports/defined.ts";
import { reportFault } from "../report-fault.ts";
import { checkAgent } from "./agent-names.ts";
import { readDefaults } from "./call.ts";
import { readModelAt } from "./model-names.ts";
import { type LoopContext, type RawLoop, refuse } from "./raw-loop.ts";
import type { ReaderContext } from "./reader-context.ts";

/** The loop itself, or several independent attempts at it. */
export function readAttempts(
  reader: ReaderContext,
  loop: RawLoop,
  { context, node }: { readonly context: LoopContext; readonly node: LoopNode },
): LoopNode | ForEachNode {
  const { fields } = loop;
  if (fields.attempts === undefined) {
    refuse(reader, loop, { keys: ["max_concurrency"], because: "works only with `for_each` or `attempts`" });
    return node;
  }
  refuseQuestions(reader, loop);
  const by = readAgents(reader, loop);
  const { agent, model } = readDefaults(reader, loop.rawNode, context.enclosing.defaults);
  const settings = typeof fields.attempts === "number" ? {} : fields.attempts;
  return {
    ...context.base,
    kind: "for-each",
    items: { kind: "list", list: by.map(labelOf) },
    body: { kind: "graph", nodes: bodyOf(node), atMost: 1 },
    atMost: fields.max_concurrency ?? 1,
    isolation: "worktree",
    onError: { mode: "continue" },
    delayMs: 0,
    output: "last",
    attempts: {
      by,
      insteadOf: defined({ agent, model }),
      ...(settings.first_green === true ? { firstGreen: true } : {}),
      ...pickOf(reader, loop, node),
    },
  };
}

/** The rules besides `green`, which always comes first. */
function pickOf(reader: ReaderContext, { fields, at }: RawLoop, { best }: LoopNode): Pick<Attempts, "pick"> {
  const { pick } = typeof fields.attempts === "object" ? fields.attempts : {};
  if (pick === undefined) return {};
  const isFirst = !pick.includes("green") || pick[0] === "green";
  if (!isFirst || new Set(pick).size < pick.length) {
    const message =
      "`pick` names each rule once, and `green` first: a green attempt is always better than a red one.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "attempts", "pick"] });
  }
  if (pick.includes("metric") && best === undefined) {
    const message = "`pick` by `metric` needs `keep: best` and a `metric` on the loop.";
    reportFault(reader, "BAD_VALUE", { message, at: [...at, "attempts", "pick"] });
  }
  return { pick: pick.filter((rule) => rule !== "green") };
}

/** A gate would ask about one of several attempts before one is chosen. */
function refuseQuestions(reader: ReaderContext, loop: RawLoop): void {
  const gate = loop.fields.on_protected_change === "gate" ? ["on_protected_change"] : [];
  const message = "cannot be combined with `attempts`: nobody is asked before the best one is chosen";
  refuse(reader, loop, { keys: ["interactive", ...gate], because: message });
}

/** The agent of each attempt; agents and models are assigned in turn. */
function readAgents(reader: ReaderContext, { fields, at }: RawLoop): readonly AttemptAgent[] {
  const settings = typeof fields.attempts === "number" ? { count: fields.attempts } : (fields.attempts ?? {});
  const { agents = [], models = [], count = Math.max(agents.length, models.length) } = settings;
  for (const [index, name] of agents.entries())
    checkAgent(reader, name, [...at, "attempts", "agents", index]);
  if (count < 2) {
    const message = "`attempts` needs a `count` of 2 or more, or as many `agents` or `models`.";
    reportFault(reader, "BAD_VALUE", {
      message,
      at: [...at, "attempts"],
      hint: "For example `attempts: 3`.",
    });
  }
  const known = models.map((model, index) =>
    readModelAt(reader, { model }, [...at, "attempts", "models", index]),
  );
  return Array.from({ length: count }, (_, index) => {
    const { agent, model } = known[index % known.length] ?? {};
    return defined({ agent: agent ?? agents[index % agents.length], model });
  });
}

const labelOf = ({ agent, model }: AttemptAgent): string =>
  [agent, model].filter((name) => name !== undefined).join(" · ");

/** A new checkout contains only what git tracks, so an attempt needs the same setup as a fresh clone. */
function bodyOf({ when: _, ...node }: LoopNode): readonly (ShellNode | LoopNode)[] {
  const [check] = node.stops.filter((stop) => stop.kind === "until-bash");
  const loop = { ...node, after: [], trigger: "all_success" } as const;
  if (check?.setup === undefined) return [loop];
  const id = `${node.id}-setup`;
  const script = { ...check.script, script: check.setup, variables: {} };
  return [
    { id, after: [], trigger: "all_success", kind: "shell", script },
    { ...loop, after: [id] },
  ];
}
