import assert from "node:assert/strict";
import { test } from "node:test";
import { Emitter } from "../src/index.js";

test("removing a listener does not make another miss the event", () => {
  const heard = [];
  const emitter = new Emitter();
  emitter.once("a", () => heard.push("first"));
  emitter.on("a", () => heard.push("second"));
  emitter.emit("a");
  emitter.emit("a");
  assert.deepEqual(heard, ["first", "second", "second"]);
});

test("removing an unknown listener does nothing", () => new Emitter().off("a", () => undefined));
