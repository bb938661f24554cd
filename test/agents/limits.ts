/** One case of the contract of real agents. */
export type Case =
  | "works"
  | "goes on"
  | "goes on elsewhere"
  | "digest"
  | "rate limit once"
  | "rate limit"
  | "overload"
  | "auth"
  | "credit"
  | "context"
  | "idle with words"
  | "idle"
  | "timeout"
  | "cancel"
  | "killed"
  | "megabyte"
  | "fifty megabytes"
  | "result"
  | "instructions"
  | "judge"
  | "key"
  | "left running"
  | "tools"
  | "empty";

export interface Limits {
  /** The longest final message it takes in good time, in bytes; fifty megabytes unless told. */
  readonly longest?: number;
  /** What it cannot do, and why. */
  readonly except: Readonly<Partial<Record<Case, string>>>;
}

/** What the real agents cannot do: their tests leave it out, and the docs say it. */
export const limits = {
  claude: { except: {} },
  codex: {
    // It reads an event again from its start with each piece of it that comes: twice as long takes four times as long.
    longest: 10_000_000,
    except: { "left running": "it ends its commands itself when its turn is over" },
  },
  gemini: {
    except: {
      "fifty megabytes": "it stops a model that repeats itself, and the test's text does; said as an error",
    },
  },
  copilot: {
    except: {
      "fifty megabytes":
        "it works on it for more than a minute and then exits with 0 and no last event; said as a crash",
    },
  },
  opencode: { except: { "fifty megabytes": "it exits before all of it is written; said as a crash" } },
} as const satisfies Readonly<Record<string, Limits>>;
