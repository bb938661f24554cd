import { describe, expect, test } from "vitest";
import { parseText } from "../../src/expressions/dollar-template.ts";
import { endsSoon } from "../parts/ends-soon.ts";

describe("a native text", () => {
  test.each([
    ["Fix $USER_MESSAGE now", ["Fix ", { ref: "value", name: "USER_MESSAGE" }, " now"]],
    ["$INPUTS.target", [{ ref: "input", name: "target" }]],
    ["$INPUTS.node-version", [{ ref: "input", name: "node-version" }]],
    ["$INPUTS.count-1", [{ ref: "input", name: "count" }, "-1"]],
    ["$a.output", [{ ref: "output", node: "a" }]],
    ["$list-all.output.count", [{ ref: "output", node: "list-all", field: "count" }]],
    ["$a.output.b.c", [{ ref: "output", node: "a", field: "b" }, ".c"]],
    ["See $a.output.", ["See ", { ref: "output", node: "a" }, "."]],
    ["$a.output-dir", [{ ref: "output", node: "a" }, "-dir"]],
    ["$LOOP_PREV.test.output", [{ ref: "previous", node: "test" }]],
    ["$LOOP_PREV.run-it.output.code", [{ ref: "previous", node: "run-it", field: "code" }]],
    ["$LOOP_ITEM", [{ ref: "item" }]],
    ["$LOOP_ITEM.name!", [{ ref: "item", field: "name" }, "!"]],
    [
      "$USER_MESSAGE$a.output",
      [
        { ref: "value", name: "USER_MESSAGE" },
        { ref: "output", node: "a" },
      ],
    ],
    ["", []],
  ])("%j is read as its references", (source, text) => {
    expect(parseText(source)).toMatchObject({ text, unknown: [] });
  });

  test.each(["$$", "$$USER_MESSAGE", "costs $5", "${USER_MESSAGE}", "a $ b", "$", "$-x", "100$"])(
    "%j stays as it is, without a notice",
    (source) => {
      expect(parseText(source)).toEqual({ text: [source], places: [], unknown: [] });
    },
  );

  test.each([
    ["$ARGUMENTS_LIST", ["ARGUMENTS_LIST"]],
    ["$HOME and $PATH and $HOME", ["HOME", "PATH"]],
    ["$LOOP_ITEMS", ["LOOP_ITEMS"]],
    ["$a.outputs", ["a"]],
    ["$a.output_dir", ["a"]],
    ["$INPUTS", ["INPUTS"]],
  ])("the unknown names of %j stay and are reported once", (source, unknown) => {
    expect(parseText(source)).toMatchObject({ text: [source], unknown });
  });

  test("only names that are known here are references", () => {
    const parsed = parseText("$history $ARGUMENTS", { known: new Set(["history"]) });
    expect(parsed).toMatchObject({
      text: [{ ref: "value", name: "history" }, " $ARGUMENTS"],
      unknown: ["ARGUMENTS"],
    });
  });

  test("each reference has its position", () => {
    expect(parseText("a $b.output\n$ARGUMENTS").places.map(({ offset }) => offset)).toEqual([2, 12]);
  });

  test("`$id.field` is short for `$id.output.field` where that is asked for", () => {
    expect(parseText("$a-b.done", { short: true }).text).toEqual([
      { ref: "output", node: "a-b", field: "done" },
    ]);
  });

  test.each(["$", "$a", "$a.", "$a-", "$a.output", "$LOOP_PREV.a", "$INPUTS.a-"])(
    "a long row of %j takes no longer than its length allows",
    (piece) => {
      endsSoon(() => parseText(piece.repeat(2 ** 19 / piece.length)));
    },
  );
});
