/** Where the records of goals are kept, as texts with a version each. */
export interface GoalStore {
  read(goal: string): Promise<KeptGoal | undefined>;
  /** Writes the next version; `false` where another one was written since `after`. */
  write(goal: string, next: NextGoal): Promise<boolean>;
}

export interface KeptGoal {
  readonly text: string;
  readonly version: string;
}

export interface NextGoal {
  readonly text: string;
  /** The version it was made from; `undefined` for the first. */
  readonly after: string | undefined;
  /** What changed, in a sentence. */
  readonly message: string;
}
