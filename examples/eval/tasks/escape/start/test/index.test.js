import assert from "node:assert/strict";
import { test } from "node:test";
import { fill } from "../src/index.js";

test("every name is replaced, values are escaped, and braces in values are not replaced", () => {
  assert.equal(fill("<b>{a}</b>{a}", { a: "<&\"'>" }), "<b>&lt;&amp;&quot;&#39;&gt;</b>&lt;&amp;&quot;&#39;&gt;");
  assert.equal(fill("{a}{b}", { a: "{b}", b: "$&" }), "{b}$&amp;");
  assert.equal(fill("{a}{toString}", { a: 1 }), "1{toString}");
});
