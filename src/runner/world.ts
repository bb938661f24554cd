import type { Session } from "../engine/session.ts";
import type { ToldEvent } from "../engine/told.ts";
import type { Agent } from "../ports/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Json } from "../ports/json.ts";
import type { ScriptRunner } from "../ports/script.ts";
import type { Shell } from "../ports/shell.ts";
import type { LogStore } from "../ports/store.ts";
import type { Workspace } from "../ports/workspace.ts";

/** What is told as soon as it is on record, and the snapshot of the workspace that belongs to it. */
export interface Upcoming {
  readonly events: readonly ToldEvent[];
  readonly work: string | undefined;
}

/** Where runs are kept, and what is said there of where one stands. */
export type Books = Pick<World, "store" | "standing">;

/** Everything outside the engine, handed in at the door. */
export interface World {
  readonly store: LogStore;
  readonly clock: Clock;
  /** Opens an agent by the name a workflow or the user gave it; `undefined` asks for the best one there is. */
  agent(name: string | undefined): Agent;
  /** The agent that judges where nobody is named: one that answers at small cost, if there is one. */
  judge?(): Agent | undefined;
  readonly shell: Shell;
  readonly script: ScriptRunner;
  readonly gitWorkspace: Workspace | undefined;
  /** The checkout; an absolute path. */
  readonly workspace: string;
  /** Who drives the run, in words for people: a process, a job. */
  readonly owner: string;
  /** Values that must never enter the log or what people see. */
  readonly secrets: readonly string[];
  /** Ends what an earlier, killed process left running for the run with this folder of artifacts. */
  clearOrphans(artifacts: string): void;
  /** Hears every told event in order, once it is on record. */
  tell(event: ToldEvent): void;
  /** Hears, when a run is resumed, what was told before. */
  recall?(events: readonly ToldEvent[]): void;
  /** Where the run stands with what is about to be put on record, for a store whose logs travel. */
  standing?(session: Session, upcoming: Upcoming): Json;
  /** Hears what people should know beside the run's own story. */
  notice?(text: string): void;
  /** Hears what agents and processes say while they work. */
  onText?(path: string, text: string): void;
}
