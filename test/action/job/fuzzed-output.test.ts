import { expect, test, vi } from "vitest";
import { openRunnerLog } from "../../../action/job/workflow-commands.ts";
import { openJob } from "../../parts/composite/job.ts";
import { readLog } from "../../parts/composite/log-commands.ts";
import { endsSoon } from "../../parts/ends-soon.ts";
import { fc } from "../../parts/random.ts";

const pieces = [
  "::",
  "##[",
  "]",
  "%0A",
  "::set-output name=conclusion::owned",
  "::error file=a,line=1::owned",
  "::add-mask::green",
  "::stop-commands::owned",
  "::owned::",
  "::save-state name=a::b",
  "##[set-env name=PATH]owned",
  "##[error]owned",
  "##[add-mask]green",
  "::group::a\n::endgroup::",
  "set-output name=a",
  "\u001b[31m",
  "\u001b]0;",
  "\u0007",
  "\0",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\u200b",
  "\ud800",
  "\b\b",
  " ",
  "\t",
  "\v",
  "\f",
  "\n",
  "\r",
  "\r\n",
];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20, unit: "binary" }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...pieces), fc.nat(30), fc.nat(30))
      .map(([text, from, length]) => text.slice(from, from + length)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...pieces), fc.integer({ min: 2, max: 200 }))
      .map(([text, times]) => text.repeat(times)),
  },
);
const output = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));

/** Everything that the runner obeyed. A runner's lines end at each of these, however a program meant them. */
function obeyed(written: string) {
  const job = openJob({ temp: "", workspace: "", github: {}, runner: {}, machine: {}, stubs: {} });
  const reader = readLog(job);
  for (const line of written.split(/\r\n|\r|\n/)) reader.line(line);
  // A mark that is no longer obeyed shows that commands were stopped.
  reader.line("::notice::mark");
  const { annotations } = job;
  return { outputs: reader.outputs, state: reader.state, masks: [...job.masks], annotations };
}

const nothing = { outputs: {}, state: {}, masks: [], annotations: [{ level: "notice", message: "mark" }] };

test("the runner obeys such an output where it is printed as it is", () => {
  expect(obeyed("a\r::error::owned").annotations).toHaveLength(2);
  expect(obeyed("::add-mask::green\n##[set-output name=a]b")).toMatchObject({ masks: ["green"] });
});

test("of 1,000 random outputs the runner obeys nothing, and reading none takes long", () => {
  let written = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += text;
    return true;
  });
  const log = openRunnerLog();
  try {
    endsSoon(() =>
      fc.assert(
        fc.property(output, (text) => {
          written = "";
          log.say(text);
          log.group(text);
          log.endGroup();
          expect(obeyed(written)).toEqual(nothing);
        }),
        { numRuns: 1_000 },
      ),
    );
  } finally {
    spy.mockRestore();
  }
});

test("1,000 random outputs as annotations are one annotation each", () => {
  let written = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += text;
    return true;
  });
  const log = openRunnerLog();
  try {
    endsSoon(() =>
      fc.assert(
        fc.property(output, output, (message, title) => {
          written = "";
          log.annotate({ level: "warning", message, title, file: title });
          const { annotations, ...rest } = obeyed(written);
          const { annotations: _, ...none } = nothing;
          expect(rest).toEqual(none);
          expect(annotations.map(({ level }) => level)).toEqual(["warning", "notice"]);
        }),
        { numRuns: 1_000 },
      ),
    );
  } finally {
    spy.mockRestore();
  }
});

test("megabytes of any piece are printed to an end, and none is obeyed", () => {
  const spy = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const log = openRunnerLog();
  try {
    for (const text of pieces) {
      endsSoon(() => log.say(text.repeat(2_000_000 / text.length)));
      expect(obeyed(String(spy.mock.lastCall?.[0]).slice(0, 10_000))).toEqual(nothing);
    }
  } finally {
    spy.mockRestore();
  }
});
