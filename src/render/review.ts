import { reasonText } from "../engine/review-text.ts";
import type { ReviewReason } from "../ports/review-reason.ts";
import { count, truncate } from "../status/format.ts";
import { isToReview } from "../status/headline.ts";
import type { Summary } from "../status/run-summary.ts";
import { codeBlock, inHtml, inlineCode, inMarkdown, oneLine } from "./escape.ts";
import { quoteHtml } from "./html-quote.ts";

/** Before the end of a run, its gate shows the reasons. */
const reasonsIn = (summary: Summary) => (isToReview(summary) ? (summary.review ?? []) : []);

const asksText =
  "The check passes, but this cannot be proved to be a fix. Please look at it before you accept the work:";

/** What a person should look at, as Markdown: a list, then each change, folded; empty if there is nothing. */
export function reviewMarkdown(summary: Summary, most = 20_000): string {
  const review = reasonsIn(summary);
  if (review.length === 0) return "";
  const files = review.filter((reason) => reason.kind === "protected-file");
  const patches = files.flatMap(({ file, patch }) => (patch === undefined ? [] : [foldedPatch(file, patch)]));
  const list = review.map((reason) => `- ${reasonMarkdown(reason)}`).join("\n");
  const all = [`#### 👀 To review`, asksText, list, ...patches].join("\n\n");
  return all.length <= most ? all : truncate([`#### 👀 To review`, asksText, list].join("\n\n"), most);
}

function reasonMarkdown(reason: ReviewReason): string {
  if (reason.kind === "protected-file") return reasonText(reason, inlineCode);
  const names = reason.tests.slice(0, 20).map(inlineCode);
  const more = reason.tests.length > names.length ? [`${reason.tests.length - names.length} more`] : [];
  const list = names.length === 0 ? "" : ` Missing: ${[...names, ...more].join(", ")}.`;
  return `${inMarkdown(reasonText(reason))}${list}`;
}

const foldedPatch = (file: string, patch: string) =>
  `<details><summary><code>${inHtml(file)}</code></summary>\n\n${codeBlock(patch.trimEnd(), "diff")}\n\n</details>`;

/** The same for a terminal. */
export function reviewLines(summary: Summary): readonly string[] {
  const review = reasonsIn(summary);
  if (review.length === 0) return [];
  return [
    "",
    `to review, ${count(review.length, "reason")}:`,
    ...review.map((one) => `  ${oneLine(reasonText(one))}`),
  ];
}

/** The same for a page. */
export function reviewHtml(summary: Summary): string {
  const review = reasonsIn(summary);
  if (review.length === 0) return "";
  const items = review.map((reason) => {
    const patch =
      reason.kind === "protected-file" && reason.patch !== undefined ? quoteHtml(reason.patch) : "";
    return `<li>${inHtml(reasonText(reason))}${patch}</li>`;
  });
  return `<section class="gate"><h2>To review</h2>\n<p>${inHtml(asksText)}</p>\n<ul>\n${items.join("\n")}\n</ul></section>`;
}
