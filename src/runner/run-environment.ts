import type { RunEvent } from "../engine/run-events.ts";
import type { RunSession } from "../engine/session.ts";
import type { Agent } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { ReadFile } from "../ports/file.ts";
import type { Isolation } from "../ports/isolation.ts";
import type { Json } from "../ports/json.ts";
import type { LiveEvent } from "../ports/live-event.ts";
import type { ScriptRunner } from "../ports/script.ts";
import type { Shell } from "../ports/shell.ts";
import type { LogStore } from "../ports/store.ts";
import type { Workspace } from "../ports/workspace.ts";

/** The events about to be recorded, and the workspace snapshot they belong to. */
export interface PendingAppend {
  readonly events: readonly RunEvent[];
  readonly work: string | undefined;
}

/** Where runs are stored, and the status stored with them. */
export type StatusStore = Pick<RunEnvironment, "store" | "statusOf">;

/** The environment of a run: everything outside the engine, injected. */
export interface RunEnvironment {
  readonly store: LogStore;
  readonly clock: Clock;
  /** Opens an agent by its name; `undefined` means the best one available. */
  agent(name: string | undefined): Agent | Promise<Agent>;
  /** The default judge: a cheap agent, if one is available. */
  judge?(): Agent | undefined;
  readonly shell: Shell;
  readonly script: ScriptRunner;
  readonly readFile: ReadFile;
  readonly gitWorkspace: Workspace | undefined;
  /** Isolation of agents, scripts and checks; default none. */
  readonly isolation?: Isolation;
  /** The checkout; an absolute path. */
  readonly workspace: string;
  /** Who drives the run, as text: a process, a job. */
  readonly owner: string;
  /** Values that must never enter the log or what people see. */
  readonly secrets: readonly string[];
  /** Ends processes that an earlier, killed process of this run left running; `artifacts` is the run's folder. */
  clearOrphans(artifacts: string): void;
  /** Receives every run event in order, once it is recorded. */
  emit(event: RunEvent): void;
  /** Receives the events of earlier processes when a run resumes. */
  recall?(events: readonly RunEvent[]): void;
  /** The run status after the upcoming append, for stores whose logs are shared with other machines. */
  statusOf?(session: RunSession, upcoming: PendingAppend): Json;
  /** Receives notices that are not run events. */
  notice?(text: string): void;
  /** Receives the output and activity of agents and processes while they work. */
  onLive?(event: LiveEvent): void;
}
