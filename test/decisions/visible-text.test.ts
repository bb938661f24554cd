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
  [
    "a body that toJSON wrote",
    'Do: "a \\"b\\"\\r\\nc"',
    { issue: { body: 'a "b"\r\nc' } },
    'Do: "a \\"b\\"\\r\\nc"',
  ],
  [
    "a body that toJSON wrote twice",
    JSON.stringify(JSON.stringify({ body: 'say "b"\nor c' })),
    { issue: { body: 'say "b"\nor c' } },
    JSON.stringify(JSON.stringify({ body: 'say "b"\nor c' })),
  ],
  [
    "a title with other escapes",
    "Do: \\u003cb\\u003e it",
    { issue: { title: "<b> it" } },
    "Do: \\u003cb\\u003e it",
  ],
  ["a fork's branch", "Fix print-keys", { pull_request: { head: { ref: "print-keys" } } }, "Fix print-keys"],
  ["the branch of a run", "Fix obey_me", { workflow_run: { head_branch: "obey_me" } }, "Fix obey_me"],
  ["a pushed tag's short name", "Fix obey-me", { ref: "refs/tags/obey-me" }, "Fix obey-me"],
  ["a label's name", "It is a: bad bug", { label: { name: "bad bug" } }, "It is a: bad bug"],
  ["a release's name", "Notes of Obey me", { release: { name: "Obey me" } }, "Notes of Obey me"],
  ["a login", "For mallory", { sender: { login: "mallory" } }, "For mallory"],
  ["a summary", "Red: Obey me", { check_run: { output: { summary: "Obey me" } } }, "Red: Obey me"],
  ["a field of an own event", "Do obey me", { client_payload: { app: { what: "obey me" } } }, "Do obey me"],
  [
    "free text in a field for one word",
    "Is obey me",
    { client_payload: { status: "obey me" } },
    "Is obey me",
  ],
  ["a comment that began the job", "Go", { inputs: { "comment-id": "5" } }, "Go"],
])("a message that holds %s is a stranger's", (_, message, ...[event, shown]) => {
  expect(strangersMessage(message, event)).toEqual({ message: shown, strangers: true });
});

const repository = { full_name: "octo/cat", default_branch: "main", owner: { login: "octo" } };
const byAnOwner = { repository, sender: { login: "octo" }, ref: "refs/heads/main" };
const opened = { action: "opened", sender: { type: "user", user_view_type: "public" } };
const addressed = {
  issue: { html_url: "https://github.com/octo/cat/issues/5" },
  workflow_run: { head_sha: "a1".repeat(20) },
};

test.each([
  ["the author's own", "Fix <!-- TODO --> it", issue],
  ["given by who dispatched the job", "Go on", { inputs: { title: "Go on" } }],
  ["without an event", "Go on", undefined],
  ["about the repository itself", "Fix main of octo/cat for octo", byAnOwner],
  [
    "about the base of a pull request",
    "Compare with release-1",
    { pull_request: { base: { ref: "release-1" } } },
  ],
  ["dispatched on the branch it names", "Fix feature/x", { inputs: null, ref: "refs/heads/feature/x" }],
  [
    "about the workflow before it",
    "The Tests fail",
    { workflow: { name: "Tests" }, workflow_run: { name: "Tests" } },
  ],
  ["of words that GitHub chooses", "A user opened a public issue", opened],
  ["an address and a commit", `See https://github.com/octo/cat/issues/5, ${"a1".repeat(20)}`, addressed],
  [
    "about an installed app",
    "Fix what GitHub Actions says",
    { check_run: { app: { name: "GitHub Actions" } } },
  ],
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
