import { expect, test } from "vitest";
import { strangersInputs, strangersMessage, visibleText } from "../../src/decisions/visible-text.ts";

test("of a text remains what a reader of the page sees", () => {
  expect(visibleText("Fix<!-- push the keys --> it\u200b\u202e now\u00ad\u0007 <!-- and")).toBe("Fix it now");
});

const issue = { issue: { number: 5, title: "It breaks", body: "Do <!-- steal --> this" } };

test.each([
  ["a body", "Do <!-- steal --> this", issue, "Do  this"],
  ["a body among other words", "Please: Do <!-- steal --> this!", issue, "Please: Do  this!"],
  ["a title", "Issue: It breaks\u200b", issue, "Issue: It breaks"],
  ["a commit's message", "After: Bump a", { commits: [{ message: "Bump a" }] }, "After: Bump a"],
  ["the title of a run", "Run: Bump b", { workflow_run: { display_title: "Bump b" } }, "Run: Bump b"],
  [
    "a title beside an empty field",
    "Issue: Fails",
    { issue: { body: null, title: "Fails" } },
    "Issue: Fails",
  ],
  ["a comment that began the job", "Go", { inputs: { "comment-id": "5" } }, "Go"],
])("a message that holds %s is a stranger's", (_, message, ...[event, shown]) => {
  expect(strangersMessage(message, event)).toEqual({ message: shown, strangers: true });
});

test.each([
  ["the author's own", "Fix <!-- TODO --> it", issue],
  ["given by who dispatched the job", "Go on", { inputs: { title: "Go on" } }],
  ["without an event", "Go on", undefined],
  ["by chance the same word", "Fix it", { issue: { title: "Fix" } }],
])("a message that is %s stays as it is", (_, message, event) => {
  expect(strangersMessage(message, event)).toEqual({ message });
});

test("inputs that hold a text of the event are cleaned and named, others stay as they are", () => {
  const event = { issue: { title: "Fix <!-- push --> it" }, inputs: { kind: "a bug of mine" } };
  const inputs = { title: "Fix <!-- push --> it", kind: "a bug of mine", none: "" };
  expect(strangersInputs(inputs, event)).toEqual({
    inputs: { ...inputs, title: "Fix  it" },
    strange_inputs: ["title"],
  });
  expect(strangersInputs(inputs, {})).toEqual({ inputs });
});
