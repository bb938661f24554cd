import { agentNames } from "../../src/agents/index.ts";
import { compile } from "../../src/compile/compile.ts";
import type { RunSettings } from "../../src/engine/log-events.ts";
import type { RunEvent, RunEventBody } from "../../src/engine/run-events.ts";
import type { RunSession } from "../../src/engine/session.ts";
import { systemClock } from "../../src/local/clock.ts";
import { type Plan, planSchema } from "../../src/plan/plan.ts";
import {
  type Agent,
  type AgentAnswer,
  type AgentContext,
  AgentError,
  type AgentRequest,
} from "../../src/ports/agent.ts";
import type { FileAnswer, FileRequest } from "../../src/ports/file.ts";
import type { ProcessContext, ShellAnswer, ShellRequest } from "../../src/ports/shell.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { noSuchFile } from "../../src/ports/unreadable.ts";
import type { WorkspaceAnswer, WorkspaceRequest } from "../../src/ports/workspace.ts";
import { appendDecision } from "../../src/runner/append-decision.ts";
import { type Limits, resume, start } from "../../src/runner/run.ts";
import type { RunEnvironment } from "../../src/runner/run-environment.ts";
import { memoryStore } from "../../src/stores/memory.ts";

/** The answers of the fake world; by default everything succeeds. */
export interface Props {
  agent?(request: AgentRequest, call: number, context: AgentContext): Reply | Promise<Reply>;
  shell?(request: ShellRequest, call: number, context: ProcessContext): Ran | Promise<Ran>;
  workspace?(request: WorkspaceRequest): WorkspaceAnswer;
  file?(request: FileRequest): FileAnswer;
  facts?: Partial<RunSettings>;
  secrets?: readonly string[];
  workflows?: Readonly<Record<string, string>>;
  store?: LogStore;
  log?: readonly string[];
}

type Reply = Partial<AgentAnswer> | string | AgentError;
type Ran = Partial<ShellAnswer> | number | string;

export interface Stage {
  readonly facts: RunSettings;
  readonly world: RunEnvironment;
  readonly store: LogStore;
  readonly events: RunEvent[];
  readonly prompts: AgentRequest[];
  readonly scripts: ShellRequest[];
  readonly waits: number[];
  begin(limits?: Limits): Promise<RunSession>;
  resume(): Promise<RunSession>;
  /** Decides the gate at a path, or the oldest one, and continues. */
  decide(decision: "approve" | "reject", text?: string, path?: string): Promise<RunSession>;
  /** The emitted events of some types, in order. */
  of<T extends RunEventBody["type"]>(...types: readonly T[]): Extract<RunEvent, { type: T }>[];
  end(): Extract<RunEvent, { type: "run.ended" }> | undefined;
}

export const runId = "test-run";

/** Compiles a native workflow; a diagnostic fails the test. */
export function planOf(source: string, workflows: Readonly<Record<string, string>> = {}): Plan {
  const compiled = compile(
    { text: source, file: "test.yml" },
    {
      agents: agentNames,
      command: () => undefined,
      workflow: (name) =>
        workflows[name] === undefined ? undefined : { file: `${name}.yml`, text: workflows[name] },
    },
  );
  if (!compiled.ok)
    throw new Error(
      compiled.diagnostics.map((d) => `${d.line}:${d.column} ${d.code} ${d.message}`).join("\n"),
    );
  return compiled.plan;
}

/** Runs a workflow in a fake world: no processes, no files, no waiting. */
export function stage(source: string | Plan, props: Props = {}): Stage {
  const plan = typeof source === "string" ? planOf(source, props.workflows) : source;
  const recorded = JSON.stringify(plan);
  // Otherwise the run could not be resumed.
  if (JSON.stringify(planSchema.parse(JSON.parse(recorded))).length !== recorded.length)
    throw new Error("the plan does not come back from a log as it went in");
  const store = props.store ?? memoryStore(props.log === undefined ? {} : { [runId]: props.log });
  const events: RunEvent[] = [];
  const prompts: AgentRequest[] = [];
  const scripts: ShellRequest[] = [];
  const waits: number[] = [];
  let minute = 0;
  const agent: Agent = {
    name: "pretended",
    async answer(request, context) {
      const { signal } = context;
      prompts.push(request);
      const stopped = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
      const answer = await Promise.race([
        props.agent?.(request, prompts.length, context) ?? `did ${request.prompt}`,
        stopped,
      ]);
      if (answer instanceof AgentError) throw answer;
      const session = request.session ?? `session-${prompts.length}`;
      return typeof answer === "string" ? { text: answer, session } : { text: "", session, ...answer };
    },
  };
  const world: RunEnvironment = {
    store,
    clock: {
      now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, 0, minute++)).toISOString(),
      every: systemClock.every,
      async sleep(ms) {
        waits.push(ms);
        minute += ms;
      },
    },
    agent: () => agent,
    shell: {
      async run(request, context) {
        scripts.push(request);
        const output = (await props.shell?.(request, scripts.length, context)) ?? "";
        const plain: ShellAnswer = { exitCode: 0, stdout: "", tail: "" };
        if (typeof output === "number") return { ...plain, exitCode: output };
        if (typeof output === "string") return { ...plain, stdout: output, tail: output };
        const { exitCode: _, ...unended } = plain;
        return { ...(output.timedOut ? unended : plain), ...output };
      },
    },
    script: { run: async () => ({ exitCode: 0, stdout: "scripted\n", tail: "" }) },
    readFile: async (request) => props.file?.(request) ?? { because: noSuchFile },
    gitWorkspace: { handle: async (request) => props.workspace?.(request) ?? {}, prepare: async () => {} },
    workspace: "/workspace",
    owner: "the test",
    secrets: props.secrets ?? [],
    clearOrphans: () => undefined,
    emit: (event) => void events.push(event),
  };
  const facts: RunSettings = {
    run: runId,
    message: "the message",
    inputs: {},
    artifacts: "/artifacts",
    base_branch: "main",
    docs_dir: "docs/",
    snapshots: props.workspace !== undefined,
    warnings: [],
    limits: {},
    ...props.facts,
  };
  const of: Stage["of"] = (...types) => events.filter(({ type }) => types.includes(type as never)) as never;
  return {
    facts,
    world,
    store,
    events,
    prompts,
    scripts,
    waits,
    begin: (limits) => start({ plan, facts }, world, limits),
    resume: () => resume(runId, world),
    async decide(decision, text = "", path?) {
      const done = await appendDecision({ store }, runId, (session) => {
        const gate = [...session.effects.values()].find(
          (need) => need.port === "human" && (path === undefined || need.path === path),
        );
        if (gate === undefined) return { refused: "wrong", because: "no gate is open" };
        return {
          record: { type: "run.decided", at: world.clock.now(), gate: gate.path, decision, by: "ann", text },
        };
      });
      if ("refused" in done) throw new Error(done.because);
      events.push(...done.events);
      return done.session.ended ? done.session : await resume(runId, world);
    },
    of,
    end: () => of("run.ended").at(-1),
  };
}
