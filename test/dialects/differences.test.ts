import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("./", import.meta.url);
const languages = ["native", "steps", "blocks", "loops"] as const;

/** The case of each language that shows what it does there, in the order of the languages; none if it has nothing. */
type Shown = readonly [native: string, steps: string, blocks: string, loops: string];

const shown: Readonly<Record<string, Shown>> = {
  "iteration number in the file": [
    "every variable has its value in prompts, once, the longest name first, and unknown ones stay",
    "until reads the iteration's number from 0",
    "code and gate: code knows the number of its round, and what follows how the loop went",
    "the parameters of each iteration read the current state of the loop",
  ],
  "out of iterations": [
    "exhaustion names the loop, the limit and what each stop said last",
    "a loop that ran out of iterations names the count and every stop that never fired",
    "a loop without a maximum runs five rounds, and running out of them is no failure",
    "reaching the maximum is a success, and the question is put after the last iteration too",
  ],
  "no maximum given": [
    "a loop without a limit",
    "a loop without maxIterations",
    "a loop without a maximum runs five rounds, and running out of them is no failure",
    "no maximum",
  ],
  "highest maximum": [
    "a limit out of range",
    "maxIterations without end",
    "too many rounds",
    "a maximum out of range",
  ],
  "when stops are tested": [
    "a red check continues and shows the next iteration why, a green one is done",
    "until is tested first, and where it is true the judge is not asked",
    "a break in the middle of an iteration skips its remaining blocks",
    "the condition is put with the output of its own iteration",
  ],
  "order of stops": [
    "stops are tested cheapest first, whatever their order in the file",
    "until is tested first, and where it is true the judge is not asked",
    "a retry skips the rest of the iteration and its condition, and counts as an iteration",
    "the condition is put with the output of its own iteration",
  ],
  "a stop that cannot be evaluated": [
    "an expression that fails at run time fails the loop as a check that cannot be evaluated",
    "an error of until fails the loop, also where only data is missing",
    "an unknown operator",
    "a question that cannot be asked is a no with a notice",
  ],
  "an iteration that fails": [
    "without on_error an iteration that fails fails the node, and later nodes do not run",
    "a body that fails ends the loop at once, no stop is tested, and the completed steps' content is kept",
    "a failure in a loop is the loop's, and its error route may take it",
    "without on_failure an iteration that fails halts the workflow",
  ],
  "whether a retry uses up an iteration": [
    "on_error retry repeats the same iteration",
    "retries begin the whole loop anew and do not multiply",
    "a retry skips the rest of the iteration and its condition, and counts as an iteration",
    "retry repeats the same iteration, three times where nothing is said, and then halts",
  ],
  "stops of a failed iteration": [
    "a stop is not tested after an iteration that failed",
    "a body that fails ends the loop at once, no stop is tested, and the completed steps' content is kept",
    "a failure in a loop is the loop's, and its error route may take it",
    "continue leaves a failed iteration out of everything but the count, and asks nothing about it",
  ],
  "memory between iterations": [
    "sessions thread unless fresh_context, and the first iteration is always fresh",
    "health check: the step itself is repeated and sees its previous output",
    "stateful: a soul continues its conversation from round to round, a gate does not",
    "the child sees each parameter, the input, the environment and the caller's loop",
  ],
  "previous output in the first iteration": [
    "an output of 200 KiB before is no trouble to a check, which reads all of it",
    "steps that wait for none see the iteration before, node by node, and what the judge said, and no others do",
    "the last round is carried as a mapping, nothing in the first; the blocks without a result as null",
    "the first iteration reads an empty output before and an empty history, and they do not fail it",
  ],
  "earlier results in expressions": [
    "a loop over nodes runs its body anew, and $LOOP_PREV reads the iteration before",
    "conditions inside see the item and the iteration, and what their siblings and the outside gave",
    "results stay from round to round: a block sees what a later one gave in the round before",
    "a child that ends in a loop hands on what that loop gave, and inner loop variables are its own",
  ],
  "output of a loop": [
    "a signal in a tag ends the loop, and its tag is not in what people and later nodes see",
    "cumulative hands on all iterations, all their steps and what the judge said, in order",
    "after a loop its last round, how it went, and what its blocks gave last are there for what follows",
    "steps after a loop read its output, its count and its history",
  ],
  "which output of a body counts": [
    "the output of a run is its first output that no other node reads on",
    "the content of a loop is that of its last completed step in the order of the file",
    "a condition looks at the last block only, also where its path names that block",
    "a called workflow hands on what its last element gave, and nothing is a failure",
  ],
  "how outputs are joined": [
    "output cumulative hands on all iterations, accumulate names them for texts, in the loop and after it",
    "cumulative hands on all iterations, all their steps and what the judge said, in order",
    "all rounds are carried as a list, oldest first, those that were retried or broke too",
    "the accumulated outputs stand apart by lines of three dashes, under both names",
  ],
  "loops in loops": [
    "bodies nest",
    "a loop in a loop",
    "a loop in a loop begins at its first round each time, and its names do not leak",
    "a loop inside a called workflow has variables of its own",
  ],
  "time limit of the whole loop": [
    "over its time limit a loop fails, however many iterations are left",
    "a loop's timeout",
    "the time limit of a loop applies to all of its iterations together",
    "over its total time a loop fails, whatever on_failure says",
  ],
  "restart of the whole loop": [
    "a retry on a loop",
    "a loop's retries restart it, under the same labels",
    "a loop that is retried starts again, with the state from before it",
    "",
  ],
  "people in a loop": [
    "after each iteration that is not done the run pauses; feedback is there in the next iteration and only there",
    "messages go both ways through a loop, as the page tells it",
    "",
    "",
  ],
  "items in parallel": [
    "with isolation worktree an item begins with the work of those before it",
    "at most a hundred items run in parallel, with a notice",
    "",
    "side by side all items run, and then the first that failed halts the workflow",
  ],
  "an item that fails": [
    "an item that fails begins no further one, and its node fails",
    "after an item fails, no other one starts; running ones finish, all errors are joined",
    "",
    "halt stops after the item that failed",
  ],
  "an empty list": [
    "for_each over a CEL list, also of nothing",
    "an empty list is done at once, with no content and no iterations",
    "",
    "no items at all fail the loop",
  ],
  "more items than the maximum": [
    "",
    "at most a hundred items run in parallel, with a notice",
    "",
    "items beyond the maximum are left out, with a notice",
  ],
  "what counts as yes": [
    "with until_form tag the plain word is no signal",
    "only a boolean true of done is done",
    "break on exit: a soul judges as a gate, by the output it is shown",
    "the first word that is yes or no decides, so this is a no",
  ],
  "who says yes": [
    "until_agent asks a judge with instructions of its own",
    "a judge is asked under its loop's name, with its own instructions, the history so far and the result",
    "break on exit: a soul judges as a gate, by the output it is shown",
    "the question has the condition first, then the output, then the demand for YES or NO",
  ],
  "what they see": [
    "a judge is shown the last iteration, or all of them",
    "a judge is asked under its loop's name, with its own instructions, the history so far and the result",
    "break on exit: a soul judges as a gate, by the output it is shown",
    "the question has the condition first, then the output, then the demand for YES or NO",
  ],
  "order of nodes": [
    "a failure two steps up still keeps a join of none_failed_min_one_success from running",
    "an included workflow runs as one step, and reads what that step depends on",
    "transitions lead from block to block, null to the end; a block's inputs are all it sees of others",
    "a loop runs once what its texts name is there, however the file orders them",
  ],
  "missing data in a condition": [
    "a condition on a field that is not there fails its node",
    "where data is missing a condition skips its step, and those after it run",
    "a condition takes a field that is not there for null",
    "a condition compares without case and blanks around",
  ],
  "after a skipped node": [
    "a condition that does not hold skips its node; where all are skipped nothing was selected",
    "a condition that is false skips the whole loop, and those after it run",
    "",
    "a step that is skipped holds nobody up, and its name stays as written",
  ],
  "after a failed node": [
    "reading the output of a failed node fails the reader",
    "a failed step: abort stops all, and each step is reported as cancelled once",
    "without an error route a failed block stops the workflow",
    "a step that fails halts everything, or is passed over, or is tried again",
  ],
  "values in texts": [
    "in shell text no value becomes source, whatever quotes stand around it",
    "steps that wait for none see the iteration before, node by node, and what the judge said, and no others do",
    "transitions lead from block to block, null to the end; a block's inputs are all it sees of others",
    "values are put in once and never read for further names; undefined ones stay as written",
  ],
  "an unknown name in a text": [
    "a name nobody knows",
    "a condition on steps that there are not",
    "an input from nowhere",
    "values are put in once and never read for further names; undefined ones stay as written",
  ],
  "a key twice": ["a key twice", "a key twice", "a key twice", "lists that stand several times are one"],
  "an unknown key": [
    "a key of Archon's that has no effect",
    "a key that nobody knows",
    "keys at the top that say nothing here",
    "tools of a model",
  ],
  "limits of prompts": [
    "values over 32 KiB are in a file, and arrive whole",
    "what one step gave is cut to 16 KiB in a prompt, and a prompt to 120 KiB, at whole characters",
    "the oldest rounds go where all are more than 3 % of the window, never the newest",
    "the whole output is put to the question",
  ],
};

const rows = readFileSync(new URL("../../src/dialects/README.md", folder), "utf8")
  .split("\n")
  .filter((line) => /^\| [^-|]/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );

const isCaseIn = (text: string, title: string) =>
  text.includes(`"${title}`) || text.includes(`- rule: ${title}\n`);

const textsOf = (language: string) =>
  globSync(`${language}/**/*.{ts,yml}`, { cwd: folder.pathname }).map((file) =>
    readFileSync(new URL(file, folder), "utf8"),
  );

test("the page of differences has the rows that cases show, and no others", () => {
  expect(rows.map(([name]) => name)).toEqual(Object.keys(shown));
});

test.each(languages.map((language, index) => [language, index] as const))(
  "there is a case for everything the page says of %s",
  (language, index) => {
    const texts = textsOf(language);
    for (const [name = "", ...cells] of rows) {
      const title = shown[name]?.[index] ?? "";
      expect(title === "", `${name}: ${cells[index]}`).toBe(cells[index] === "–");
      expect(
        texts.some((text) => isCaseIn(text, title)),
        `${name}: no case "${title}"`,
      ).toBe(true);
    }
  },
);
