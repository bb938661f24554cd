/** Stores the records of goals, as texts with a version each. */
export interface GoalStore {
  read(goal: string): Promise<KeptGoal | undefined>;
  /** Writes the next version; `false` if another one was written since `after`. */
  write(goal: string, next: NextGoal): Promise<boolean>;
}

export interface KeptGoal {
  readonly text: string;
  readonly version: string;
}

export interface NextGoal {
  readonly text: string;
  /** The version it is based on; `undefined` for the first. */
  readonly after: string | undefined;
  /** The change, as a sentence. */
  readonly message: string;
}
