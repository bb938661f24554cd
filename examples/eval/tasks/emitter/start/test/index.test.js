import assert from "node:assert/strict";
import { test } from "node:test";
import { Emitter } from "../src/index.js";

test("a listener that leaves does not make another miss the event", () => {
  const heard = [];
  const emitter = new Emitter();
  emitter.once("a", () => heard.push("first"));
  emitter.on("a", () => heard.push("second"));
  emitter.emit("a");
  emitter.emit("a");
  assert.deepEqual(heard, ["first", "second", "second"]);
});

test("one that is not there can leave", () => new Emitter().off("a", () => undefined));
