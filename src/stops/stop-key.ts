import { z } from "zod";
import type { Expression, ShellText, Text } from "../expressions/template.ts";

const text = z.string().meta({ pattern: /\S/.source });

/** A schema for the text in a file; the reader of the file gives the key what it means. */
const meaning = <Value>() => text.clone() as unknown as z.ZodType<Value>;

/** What a key can hold besides the values of a schema. */
export const forms = {
  /** Plain text, trimmed. */
  word: meaning<string>(),
  /** A text with references. */
  text: meaning<Text>(),
  /** Bash, with references. */
  shell: meaning<ShellText>(),
  /** CEL. */
  expression: meaning<Expression>(),
  /** The name of an agent that answers with a boolean `done`. */
  judge: meaning<string>(),
} as const;

/** The key by which native files ask for a stop. */
export interface StopKey<Spec, Value extends z.ZodType> {
  readonly name: string;
  /** Cheap stops are tested first: below 10 they look at the answer, below 20 run a program, above ask a model. */
  readonly cost: number;
  /** For the docs and for editors, in Markdown. */
  readonly meaning: string;
  /** One of `forms`, or the schema of a number or another value. A blank value is refused before. */
  readonly holds: Value;
  /** The property of the body's structured answer that it reads, which must be declared with this type. */
  reads?(value: z.output<Value>): { readonly property: string; readonly type: string };
  /** What the value means, or what is wrong with it. */
  spec(value: z.output<Value>, loop: LoopKeys): Spec | Complaint;
}

/** What is wrong with a value, as a sentence. */
export interface Complaint {
  readonly complaint: string;
  readonly hint?: string;
  /** The code of the diagnostic; default `BAD_VALUE`. */
  readonly code?: "LIMIT";
}

/** What is written beside a stop's key in its loop. */
export interface LoopKeys {
  readonly until?: unknown;
  readonly until_form?: "tag" | "any";
  readonly no_verdict?: "fail" | "continue";
  readonly judge_sees?: "last" | "all";
  readonly check: {
    readonly timeout?: number;
    readonly retries?: number;
    readonly tests?: "keep" | "review" | "any";
    readonly confirm?: number;
    readonly stress?: number;
    readonly clean?: boolean | "on" | "off";
    readonly setup?: string;
  };
}
