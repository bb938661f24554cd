import { lastLinesTitle } from "../engine/gate-text.ts";
import type { FailingCheck, Summary } from "../status/run-summary.ts";
import { codeBlock, inHtml, inlineCode, inMarkdown, oneLine, stripControlCharacters } from "./escape.ts";
import { verdictText } from "./verdict-text.ts";

/**
 * The output of the last check if a run is red or waits for a person; `undefined` while it runs or if it is green.
 */
export const failingCheckOf = ({ state, conclusion, check }: Summary): FailingCheck | undefined =>
  state === "running" || conclusion === "success" ? undefined : check;

type FailingTest = FailingCheck["failing"][number];

const mostTests = 10;
/** More are folded: on a phone each one takes two or three lines. */
const mostUnfolded = 5;

/** `❌ 3 tests failing (exit 1)`. */
const verdictOf = ({ because, count }: FailingCheck) =>
  verdictText({ path: "", kind: "until-bash", verdict: "go-on", because, failing: count });

/** For a terminal: the failing tests, then the last lines of the check; a gate's text may show both already. */
export function failingCheckLines(check: FailingCheck, gates: Summary["gates"] = []): readonly string[] {
  const verdict = ["", oneLine(verdictOf(check))];
  if (gates.some(({ message = "" }) => message.includes(`\n\n${lastLinesTitle}\n`))) return verdict;
  const tests = check.failing.slice(0, mostTests).map((one) => `  ✘ ${failingTestText(one)}`);
  const more = check.failing.length > mostTests ? [`  … ${check.failing.length - mostTests} more`] : [];
  const tail = stripControlCharacters(check.tail).split("\n");
  return [
    ...verdict,
    ...tests,
    ...more,
    "",
    ...(check.tail.trim() === ""
      ? ["the check printed nothing"]
      : ["last lines of the check:", ...tail.map((line) => `  │ ${line}`.trimEnd())]),
  ];
}

/** `adds: 1 == 2`. */
export const failingTestText = ({ name, message }: FailingTest) =>
  oneLine(message === undefined ? name : `${name}: ${message}`);

/** The same as an item of a list in Markdown. */
export const failingTestMarkdown = ({ name, message }: FailingTest) =>
  `- ${inlineCode(name)}${message === undefined ? "" : `: ${inMarkdown(message)}`}`;

/** The same as an item of a list in HTML. */
export const failingTestHtml = ({ name, message }: FailingTest) =>
  `<li><code>${inHtml(name)}</code>${message === undefined ? "" : `: ${inHtml(message)}`}</li>`;

/** A failing check in Markdown, with the first tests visible, and the others and the output folded. */
export function failingCheckMarkdown(check: FailingCheck): string {
  const tests = check.failing.map(failingTestMarkdown);
  const shown = tests.length > mostUnfolded + 1 ? mostUnfolded : tests.length;
  const others = tests.slice(shown).join("\n");
  return [
    `**${inMarkdown(verdictOf(check))}**`,
    tests.slice(0, shown).join("\n"),
    others === "" ? "" : folded(`${tests.length - shown} more failing tests`, others),
    check.tail.trim() === ""
      ? "The check printed nothing."
      : folded("Last lines of the check", codeBlock(check.tail)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const folded = (title: string, text: string) =>
  `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
