/** One case of the contract of real agents. */
export type Case =
  | "works"
  | "goes on"
  | "goes on elsewhere"
  | "digest"
  | "damaged"
  | "rate limit once"
  | "rate limit"
  | "overload"
  | "auth"
  | "credit"
  | "wrong address"
  | "refusal"
  | "context"
  | "idle with words"
  | "idle"
  | "timeout"
  | "cancel"
  | "overload in a turn"
  | "broken stream"
  | "cut call"
  | "trickle"
  | "hang in a turn"
  | "key in a turn"
  | "killed"
  | "cut short"
  | "context in a turn"
  | "megabyte"
  | "fifty megabytes"
  | "result"
  | "instructions"
  | "judge"
  | "key"
  | "left running"
  | "tools"
  | "tools shown"
  | "reading judge"
  | "empty";

export interface Limits {
  /** The longest final message it handles in time, in bytes; 50 MB by default. */
  readonly longest?: number;
  /** What it cannot do, and why. */
  readonly except: Readonly<Partial<Record<Case, string>>>;
}

/** What the real agents cannot do: their tests skip it, and the docs list it. */
export const limits = {
  claude: {
    except: {
      "cut short": "it continues by itself, and answers with the last part",
      "context in a turn": "it shortens a full conversation itself",
    },
  },
  codex: {
    // It reads an event again from its start with each piece of it that comes: twice as long takes four times as long.
    longest: 10_000_000,
    except: {
      "left running": "it ends its commands itself when its turn is over",
      "tools shown": "it puts a server's tools into a namespace, which the test's server does not read",
    },
  },
  gemini: {
    except: {
      "fifty megabytes":
        "it stops a model that repeats itself, as the test's text does; reported as an error",
    },
  },
  copilot: {
    except: {
      killed: "it saves its steps only now and then; steps that it had not saved are repeated",
      "cut short": "it continues by itself, and answers with the last part",
      "context in a turn": "it shortens a full conversation itself",
      "fifty megabytes":
        "it works on it for more than a minute, then exits with 0 and no final event; reported as a crash",
    },
  },
  qwen: {
    except: {
      megabyte: "it assumes 200,000 tokens for an unknown model; reported as an error",
      "fifty megabytes": "it gives up on an answer of that length; reported as an error",
      "left running": "it ends its commands itself when its turn is over",
      "context in a turn": "it shortens a full conversation itself",
    },
  },
  pi: { except: { "context in a turn": "it shortens a full conversation itself" } },
  kimi: {
    except: {
      megabyte: "its prompt is an argument; one over 120 KiB is in a file that it is told to read",
      instructions: "they are in its prompt; over 120 KiB both are in a file that it is told to read",
      "context in a turn": "it shortens a full conversation itself",
    },
  },
  opencode: {
    except: {
      damaged: "it keeps its conversations in a database, not in files of their own",
      "fifty megabytes": "it exits before all of it is written; reported as a crash",
    },
  },
} as const satisfies Readonly<Record<string, Limits>>;
