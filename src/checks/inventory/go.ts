import type { TestInventory } from "../../ports/tests.ts";
import { type NamedTest, statusOf } from "../tools/printed.ts";
import { countOf, namesOf } from "./names.ts";

/** Tests from the output of `go test`: by name with `-v` or `-json`; otherwise each package counts as one test. */
export function readGo(text: string): TestInventory | undefined {
  const events = [...text.matchAll(event)];
  if (events.length > 0) return inventoryOf(testsOf(events), text.includes(',"FailedBuild":"'));
  const packages = [...text.matchAll(/^(ok {2}|FAIL|\?? {3})\t(\S+)(.*)$/gm)];
  if (packages.length === 0) return undefined;
  const unbuilt = packages.some(([, , , rest = ""]) => /\[(?:build|setup) failed\]/.test(rest));
  return inventoryOf(/^=== RUN /m.test(text) ? testsIn(text) : packagesIn(packages), unbuilt);
}

/** The end of a test or package, as `go test -json` prints it. */
const event =
  /^\{(?:"Time":"[^"\n]*",)?"Action":"(pass|fail|skip)","Package":"[^"\n]*"(?:,"Test":"([^"\n]*)")?[^\n]*\}$/gm;

/** Skips subtests, which `-v` indents. */
const testsOf = (events: readonly RegExpExecArray[]): readonly NamedTest[] =>
  events.flatMap(([, action = "", name]) =>
    name === undefined || name.includes("/") ? [] : [{ name, status: statusOf(action) }],
  );

const inventoryOf = (tests: readonly NamedTest[], unbuilt: boolean): TestInventory => ({
  runner: "go test",
  ...countOf(tests),
  ...(unbuilt ? { incomplete: true } : {}),
  names: namesOf(tests),
});

const testsIn = (text: string) =>
  [...text.matchAll(/^--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, word = "", name = ""]) => ({
    name,
    status: statusOf(word),
  }));

const packagesIn = (packages: readonly RegExpExecArray[]) =>
  packages.flatMap(([, mark = "", name = "", rest = ""]) => {
    if (!/^(?:ok|FAIL)/.test(mark) || /\[no tests to run\]/.test(rest)) return [];
    return [{ name, status: statusOf(mark.trim()) }];
  });

/**
 * Like `withoutVerboseLines`, for output in pieces of any size: passes whole lines on, and the rest of the last line at
 * the end. Removes nothing before a line that only `-v` prints.
 */
export function withoutVerboseLinesLive(onText: (text: string) => void) {
  let rest = "";
  let isVerbose = false;
  return {
    push(piece: string) {
      const text = rest + piece;
      const end = text.lastIndexOf("\n") + 1;
      const lines = text.slice(0, end);
      rest = text.slice(end);
      isVerbose ||= lines.includes("=== RUN ");
      // An empty piece still shows that the check is active.
      onText(isVerbose ? withoutVerboseLines(lines) : lines);
    },
    end() {
      onText(rest);
      rest = "";
    },
  };
}

/** Removes the lines that `go test` prints only with `-v`. */
export const withoutVerboseLines = (text: string): string =>
  text.replace(/^(?:=== (?:RUN|PAUSE|CONT|NAME) .*| *--- PASS: .*|PASS)\n/gm, "");
