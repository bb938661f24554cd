import { nearest } from "./nearest.ts";

/**
 * What people say to a run in a comment. A first word that may be a run's id stays in doubt until somebody knows the
 * runs there are: `word` with `rest` is the one reading, `text` the other.
 */
export type Spoken =
  | { readonly kind: "run"; readonly name: string; readonly text: string }
  | { readonly kind: "list" | "help" }
  | RunWords;

/** Words about one run. */
export interface RunWords {
  readonly kind: "approve" | "reject" | "cancel" | "status" | "tell";
  /** The first word, where it has the form of a run's id. */
  readonly word: string | undefined;
  /** All after the verb. */
  readonly text: string;
  /** All after `word`; empty without one. */
  readonly rest: string;
  /** Whether it holds although the branch has moved. */
  readonly anyway: boolean;
  /** The path of the gate meant. */
  readonly gate: string | undefined;
}

/** `undefined`: not for us. `unclear`: for us, but not understood; a sentence says why. */
export type Heard = Spoken | { readonly unclear: string } | undefined;

export const verbs = ["run", "approve", "reject", "cancel", "status", "tell", "list", "help"] as const;

/**
 * Reads a comment. A command stands at the very start of its first line, so it is in no quote, code or HTML comment;
 * what follows, over further lines too, is its text. What a reader of the comment cannot see is no part of it.
 */
export function hearComment(body: string): Heard {
  const call = /^\/workflow(?=[ \t\r\n]|$)/.exec(body);
  if (call === null) return undefined;
  const said = body.slice(call[0].length).replace(/\r\n?/g, "\n");
  const line = said.split("\n", 1)[0] ?? "";
  const [verb = ""] = words(line);
  if (verb === "") return { kind: "help" };
  if (unseen.test(verb)) return { unclear: "the command holds characters nobody can see: type it by hand" };
  const kind = verbs.find((known) => known === verb.toLowerCase());
  if (kind === undefined) return { unclear: unknownVerb(verb) };
  const [text = "", ...faults] = readText(said.slice(said.indexOf(verb) + verb.length));
  if (faults[0] !== undefined) return { unclear: faults[0] };
  if (kind === "list" || kind === "help") return { kind };
  return kind === "run" ? runCommand(text) : aboutRun(kind, text);
}

/** The step and the message of `tell`, in what follows the run's id; a sentence where either is missing. */
export function readTell(
  text: string,
): { readonly step: string; readonly text: string } | { readonly unclear: string } {
  const [step, rest] = splitWord(text);
  if (step !== "" && rest !== "") return { step, text: rest };
  return { unclear: "`tell` needs a step and a text: `/workflow tell <run-id> <step> <text>`" };
}

/** The longest text that is used, in characters; the rest is left out with a sign. */
export const mostText = 16_000;

const cutMark = "\n\n[… the rest of the comment is left out …]";

/** Characters that change how text looks, or hide in it. */
const unseen = /(?![\t\n])\p{Cc}|\p{Cf}|[\u115f\u1160\u3164\uffa0\u2800]/u;
const allUnseen = new RegExp(unseen.source, "gu");

const words = (line: string) => line.split(/[ \t]+/).filter((word) => word !== "");

function readText(raw: string): readonly string[] {
  const text = withoutHidden(raw.toWellFormed()).replace(allUnseen, "").trim();
  if (text.length <= mostText) return [text];
  return [text.slice(0, mostText).toWellFormed() + cutMark];
}

/** Without HTML comments, which a page does not show; an open one hides all that follows. */
function withoutHidden(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ; ) {
    const start = text.indexOf("<!--", at);
    parts.push(text.slice(at, start < 0 ? undefined : start));
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    if (end < 0) return parts.join("");
    at = end + 3;
  }
}

function runCommand(text: string): Heard {
  const [name, rest] = splitWord(text);
  if (name === "") return { unclear: "`run` needs the name of a workflow: `/workflow run <name> [message]`" };
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(name))
    return {
      unclear: "a workflow is named by letters, digits, dots, hyphens and underscores; paths are not taken",
    };
  return { kind: "run", name, text: rest };
}

function aboutRun(kind: RunWords["kind"], said: string): Heard {
  const before = readFlags(said);
  if ("unclear" in before) return before;
  const text = before.rest;
  const [first, after] = splitWord(text);
  const word = isIdLike(first) ? first : undefined;
  const behind = readFlags(word === undefined ? "" : after);
  if ("unclear" in behind) return behind;
  const anyway = before.anyway || behind.anyway;
  if (anyway && kind !== "approve") return { unclear: "`--anyway` belongs to `approve`" };
  return { kind, word, text, rest: behind.rest, anyway, gate: behind.gate ?? before.gate };
}

const isIdLike = (word: string) => /^[a-z0-9][a-z0-9-]{5,63}$/.test(word);

interface Flags {
  readonly anyway: boolean;
  readonly gate: string | undefined;
  /** What follows them. */
  readonly rest: string;
}

/** The options that a text begins with. */
function readFlags(text: string): Flags | { readonly unclear: string } {
  let flags: Flags = { anyway: false, gate: undefined, rest: text };
  for (;;) {
    const [word, rest] = splitWord(flags.rest);
    if (!/^--[a-z]/.test(word)) return flags;
    const [name, value] = word.split("=", 2);
    if (word === "--anyway") flags = { ...flags, anyway: true, rest };
    else if (name === "--gate") {
      const [gate, after] = value === undefined ? splitWord(rest) : [value, rest];
      if (!/^\/\S{1,500}$/.test(gate)) return { unclear: "`--gate` needs the path of a gate, like `/fix#2`" };
      flags = { ...flags, gate, rest: after };
    } else return { unclear: "the options of a command are `--anyway` and `--gate <path>`" };
  }
}

/** The first word of a text and what follows it, on the same line or on the next. */
function splitWord(text: string): readonly [string, string] {
  const end = text.search(/\s/);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end).trim()];
}

function unknownVerb(verb: string): string {
  const near = nearest(verb.toLowerCase(), verbs);
  const hint = near === undefined ? `known are ${verbs.join(", ")}` : `did you mean \`/workflow ${near}\`?`;
  return `there is no such command; ${hint}`;
}
