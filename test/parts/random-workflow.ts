import { fc } from "./random.ts";

/** Random properties of a node; builders interpret the numbers. */
interface Draft {
  readonly kind: (typeof kinds)[number];
  /** One bit per earlier node: whether this one depends on it. */
  readonly after: number;
  readonly trigger: string;
  readonly when: boolean;
  readonly retry: boolean;
  readonly size: number;
  readonly onError: string;
  readonly flag: boolean;
}

const kinds = ["bash", "prompt", "loop", "group", "for-each", "approval", "gated", "cancel"] as const;
const often = ["bash", "prompt", "loop", "group", "for-each"] as const;

const draft: fc.Arbitrary<Draft> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...often) },
    { weight: 1, arbitrary: fc.constantFrom(...kinds) },
  ),
  after: fc.nat(31),
  trigger: fc.constantFrom("all_success", "all_done", "one_success", "none_failed_min_one_success"),
  when: fc.boolean(),
  retry: fc.boolean(),
  size: fc.integer({ min: 1, max: 3 }),
  onError: fc.constantFrom("fail", "continue", "retry"),
  flag: fc.boolean(),
});

/** Random small workflows, as the text of a native file. */
export const randomWorkflow: fc.Arbitrary<string> = fc
  .record({ drafts: fc.array(draft, { minLength: 1, maxLength: 5 }), atMost: fc.integer({ min: 1, max: 3 }) })
  .map(({ drafts, atMost }) =>
    JSON.stringify({
      name: "random",
      interactive: true,
      max_concurrency: atMost,
      nodes: drafts.map((it, index) => node(it, index)),
    }),
  );

function node(it: Draft, index: number): object {
  const before = Array.from({ length: index }, (_, other) => other).filter(
    (other) => it.after & (1 << other),
  );
  return {
    id: `n${index}`,
    ...(before.length === 0 ? {} : { depends_on: before.map((other) => `n${other}`) }),
    trigger_rule: it.trigger,
    ...(it.when ? {} : { when: index % 2 === 0 ? "true" : "false" }),
    ...work(it, { id: `n${index}`, seen: before.map((other) => `$n${other}.output`).join(" ") }),
  };
}

interface About {
  readonly id: string;
  /** References to all earlier nodes. */
  readonly seen: string;
}

function work(it: Draft, { id, seen }: About): object {
  const retry = retryOf(it);
  const repeated = repeatedOf(it);
  switch (it.kind) {
    case "bash":
      return { bash: `run ${seen}`, ...retry };
    case "prompt":
      return { prompt: `do ${seen}`, ...retry };
    case "loop":
      return { loop: { prompt: `$LOOP_PREV_OUTPUT $LOOP_CHECK_OUTPUT ${seen}`, ...repeated } };
    case "group":
      return { loop: { nodes: body(it, id), ...repeated } };
    case "for-each":
      return {
        loop: {
          for_each: ["a", "b", "c", "d"].slice(0, it.size + 1),
          nodes: body(it, id),
          // After a failure no further item starts; with parallel items, which ones have started is random.
          max_concurrency: it.onError === "continue" ? it.size : 1,
          isolation: it.flag ? "worktree" : "shared",
          ...onErrorOf(it),
        },
      };
    case "approval":
      return {
        approval: { message: `sure? ${seen}`, ...(it.flag ? { on_reject: { prompt: "again" } } : {}) },
      };
    case "gated":
      return {
        loop: {
          prompt: "[$LOOP_USER_INPUT]",
          ...repeated,
          interactive: true,
          gate_message: "look",
          signal_completes: it.flag,
        },
      };
    case "cancel":
      return { cancel: "enough" };
  }
}

function retryOf({ retry, size, flag }: Draft): object {
  if (!retry) return {};
  return { retry: { max_attempts: size, delay_ms: 1000, on_error: flag ? "all" : "transient" } };
}

function onErrorOf({ onError, size }: Draft): object {
  return { on_error: onError, ...(onError === "retry" ? { retries: size } : {}) };
}

function repeatedOf(it: Draft): object {
  const check = { until_bash: "check $LOOP_OUTPUT", no_progress: 2, protect: ["test/**"] };
  const question = { until_condition: "all is well", until_mode: it.retry ? "all" : "any" };
  return {
    until: "DONE",
    max_iterations: it.size,
    ...onErrorOf(it),
    on_max: it.flag ? "succeed" : "fail",
    ...(it.flag ? question : {}),
    ...(it.retry ? check : {}),
  };
}

function body(it: Draft, id: string): readonly object[] {
  const inner = {
    loop: { prompt: "inner $LOOP_PREV_OUTPUT", until: "DONE", max_iterations: 2, on_max: "succeed" },
  };
  return [
    { id: `${id}-a`, prompt: "first $LOOP_ITERATION" },
    { id: `${id}-b`, ...(it.flag ? inner : { bash: "second" }) },
    { id: `${id}-c`, prompt: `third $${id}-a.output`, depends_on: [`${id}-a`, `${id}-b`] },
  ];
}
