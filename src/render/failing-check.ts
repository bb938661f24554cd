import type { FailingCheck, Summary } from "../status/run-summary.ts";
import { codeBlock, inlineCode, inMarkdown, oneLine, stripControlCharacters } from "./escape.ts";
import { hasLastLines } from "./gate-commands.ts";
import { verdictText } from "./verdict-text.ts";

/**
 * The output of the last check if a run is red or waits for a person; `undefined` while it runs or if it is green.
 */
export const failingCheckOf = ({ state, conclusion, check }: Summary): FailingCheck | undefined =>
  state === "running" || conclusion === "success" ? undefined : check;

const mostNames = 10;

/** `❌ 3 tests failing (exit 1)`. */
const verdictOf = ({ because, count }: FailingCheck) =>
  verdictText({ path: "", kind: "until-bash", verdict: "go-on", because, failing: count });

/** For a terminal: the failing tests by name, then the last lines of the check, if they are not in a gate's text. */
export function failingCheckLines(check: FailingCheck, gates: Summary["gates"] = []): readonly string[] {
  const names = check.failing.slice(0, mostNames).map((name) => `  ✘ ${oneLine(name)}`);
  const more = check.failing.length > mostNames ? [`  … ${check.failing.length - mostNames} more`] : [];
  const tail = stripControlCharacters(check.tail).split("\n");
  const facts = ["", oneLine(verdictOf(check)), ...names, ...more];
  if (gates.some(({ message }) => hasLastLines(message))) return facts;
  return [
    ...facts,
    "",
    ...(check.tail.trim() === ""
      ? ["the check printed nothing"]
      : ["last lines of the check:", ...tail.map((line) => `  │ ${line}`.trimEnd())]),
  ];
}

/** The same in Markdown, with the test names visible and the output folded. */
export function failingCheckMarkdown(check: FailingCheck): string {
  const names = check.failing.slice(0, mostNames).map((name) => `- ${inlineCode(name)}`);
  const more = check.failing.length > mostNames ? [`- … ${check.failing.length - mostNames} more`] : [];
  const list = names.length === 0 ? [] : [[...names, ...more].join("\n")];
  return [
    `**${inMarkdown(verdictOf(check))}**`,
    ...list,
    check.tail.trim() === ""
      ? "The check printed nothing."
      : `<details><summary>Last lines of the check</summary>\n\n${codeBlock(check.tail)}\n\n</details>`,
  ].join("\n\n");
}
