import { nearestWord } from "../ports/nearest-word.ts";
import { bareWord, hasFormOfRunId, isMeantAsRunId } from "../ports/short-run-id.ts";
import { answerNamed, answers, decisionOf } from "./answer.ts";
import {
  commandNamed,
  commands,
  type GeneralWords,
  type RunCommandName,
  runCommand,
} from "./commands/table.ts";
import { splitWord } from "./first-word.ts";
import { unseen, visibleText } from "./visible-text.ts";

/**
 * The command in a comment. If the first word may be a run's id, the command stays ambiguous until the runs are
 * known: `word` and `rest` are one reading, `text` the other.
 */
export type CommentCommand = GeneralWords | RunCommand;

/** A command about one run. */
export interface RunCommand {
  readonly kind: RunCommandName;
  /** The first word, if it has the form of a run's id. */
  readonly word: string | undefined;
  /** Everything after the verb. */
  readonly text: string;
  /** Everything after `word`; empty if there is no `word`. */
  readonly rest: string;
  /** True if the decision applies even if the branch has moved (`--anyway`). */
  readonly anyway: boolean;
  /** The gate's path, if the comment names one. */
  readonly gate: string | undefined;
}

/** `undefined`: not a command. `unclear`: a command that could not be parsed, with the reason. */
export type ParsedComment = CommentCommand | { readonly unclear: string } | undefined;

export const verbs: readonly string[] = commands.map(({ name }) => name);

/**
 * Parses a comment. A command starts at the very first character, so it cannot be in a quote, code or an HTML
 * comment. Everything after it is its text; hidden text is ignored.
 */
export function parseComment(body: string): ParsedComment {
  const call = /^\/workflow(?=[ \t\r\n]|$)/.exec(body);
  if (call === null) return undefined;
  const rest = body.slice(call[0].length).replace(/\r\n?/g, "\n");
  const line = rest.split("\n", 1)[0] ?? "";
  const [verb = ""] = words(line);
  if (verb === "") return { kind: "help" };
  if (unseen.test(verb)) return { unclear: "the command contains invisible characters: type it yourself" };
  const [text = "", ...faults] = readText(rest.slice(rest.indexOf(verb) + verb.length));
  const command = commandNamed(answerNamed(verb, isMeantAsRunId(text) ? "" : text) ?? verb.toLowerCase());
  if (command === undefined) return { unclear: unknownVerb(verb) };
  if (faults[0] !== undefined) return { unclear: faults[0] };
  if (another.test(text)) return { unclear: severalCommands };
  if (command.about === "run") return aboutRun(command.name as RunCommandName, text);
  const read = command.read(text);
  return "unclear" in read ? read : ({ kind: command.name, ...read } as GeneralWords);
}

/** A line of the text that is a command too: whoever wrote it does not mean it as feedback for the agent. */
const another = new RegExp(
  `^/workflow[ \\t]+(?:${[...verbs, ...answers.map((name) => name[0])].join("|")})(?![^\\s])`,
  "im",
);

const severalCommands =
  "a comment has room for one command, so none was executed: write each in its own comment";

/** Maximum length of the text in characters; the rest is dropped with a mark. */
export const maxCommentText = 16_000;

const cutMark = "\n\n[… the rest of the comment is left out …]";

const words = (line: string) => line.split(/[ \t]+/).filter((word) => word !== "");

function readText(raw: string): readonly string[] {
  const text = visibleText(raw);
  if (text.length <= maxCommentText) return [text];
  return [text.slice(0, maxCommentText).toWellFormed() + cutMark];
}

function aboutRun(kind: RunCommand["kind"], rest: string): ParsedComment {
  const before = readFlags(rest);
  if ("unclear" in before) return before;
  const text = before.rest;
  const [first, after] = splitWord(text);
  const bare = bareWord(first);
  const id = isMeantAsRunId(bare) ? bare.toLowerCase() : bare;
  const run = isIdLike(id) ? id : undefined;
  const behind = readFlags(run === undefined ? "" : after);
  if ("unclear" in behind) return behind;
  const anyway = before.anyway || behind.anyway;
  if (anyway && decisionOf(kind) !== "approve") return { unclear: "`--anyway` belongs to `approve`" };
  return { kind, word: run, text, rest: behind.rest, anyway, gate: behind.gate ?? before.gate };
}

/**
 * True if a command's first word can only be meant as an id, so that it never applies to another run. If the command
 * takes arguments, its first word may also be a step, whose name may have a hyphen or a digit.
 */
export const namesRun = ({ kind, word = "" }: Pick<RunCommand, "kind" | "word">): boolean =>
  runCommand(kind).read === undefined ? isMeantAsRunId(word) : hasFormOfRunId(word);

const isIdLike = (text: string) => /^[a-z0-9][a-z0-9-]{5,63}$/.test(text);

interface Flags {
  readonly anyway: boolean;
  readonly gate: string | undefined;
  /** The text after the options. */
  readonly rest: string;
}

/** The options at the start of a text. */
function readFlags(text: string): Flags | { readonly unclear: string } {
  let flags: Flags = { anyway: false, gate: undefined, rest: text };
  for (;;) {
    const [flag, rest] = splitWord(flags.rest);
    if (!/^--[a-z]/.test(flag)) return flags;
    const [name, value] = flag.split("=", 2);
    if (flag === "--anyway") flags = { ...flags, anyway: true, rest };
    else if (name === "--gate") {
      const [gate, after] = value === undefined ? splitWord(rest) : [value, rest];
      if (!/^\/\S{1,500}$/.test(gate)) return { unclear: "`--gate` needs the path of a gate, like `/fix#2`" };
      flags = { ...flags, gate, rest: after };
    } else return { unclear: "the options of a command are `--anyway` and `--gate <path>`" };
  }
}

function unknownVerb(verb: string): string {
  const near = nearestWord(verb.toLowerCase(), verbs);
  const hint = near === undefined ? `known are ${verbs.join(", ")}` : `did you mean \`/workflow ${near}\`?`;
  return `there is no such command; ${hint}`;
}
