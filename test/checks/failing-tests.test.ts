import { expect, test } from "vitest";
import { failingTests } from "../../src/checks/failing-tests.ts";
import { endsSoon } from "../parts/ends-soon.ts";

test.each([
  [
    "pytest",
    "FAILED tests/test_a.py::test_b - assert 1 == 2\nERROR tests/test_c.py\n= 1 failed in 0.1s =",
    ["tests/test_a.py::test_b", "tests/test_c.py"],
  ],
  ["go", "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: no\nFAIL\n", ["TestSum"]],
  ["cargo", "test tests::adds ... FAILED\ntest tests::ok ... ok\n", ["tests::adds"]],
  [
    "unittest",
    "FAIL: test_hi (test_words.T.test_hi)\nERROR: test_ho (test_words.T.test_ho)\n",
    ["test_hi (test_words.T.test_hi)", "test_ho (test_words.T.test_ho)"],
  ],
  ["rspec", "rspec ./spec/a_spec.rb:3 # Adder adds\n", ["./spec/a_spec.rb:3 # Adder adds"]],
  ["gradle", "AppTest > adds() FAILED\n", ["AppTest > adds()"]],
  [
    "maven",
    "[ERROR]   AppTest.adds:12 expected: <3> but was: <2>\n",
    ["AppTest.adds:12 expected: <3> but was: <2>"],
  ],
  ["jest", "  ● sum › adds\n\n    expect", ["sum › adds"]],
  ["vitest", " FAIL  test/a.test.ts > adds\n", ["test/a.test.ts > adds"]],
  ["node:test", "✖ adds (0.5ms)\n✖ failing tests:\n✖ adds (0.5ms)\n", ["adds"]],
  ["minitest", "  1) Failure:\nSum#test_adds [test/sum_test.rb:5]:\nExpected: 5\n", ["Sum#test_adds"]],
  ["phpunit", "1) Sum\\AddTest::testAdds\nFailed asserting\n", ["Sum\\AddTest::testAdds"]],
  ["exunit", "  1) test adds (AddsTest)\n     test/adds_test.exs:3\n", ["test adds (AddsTest)"]],
  ["ctest", "The following tests FAILED:\n\t  1 - adds (Failed)\n", ["adds"]],
  ["meson", " 1/12 sum / adds FAIL            0.05s   exit status 1\n", ["sum / adds"]],
  ["bun", "(fail) sum > adds [4.38ms]\n(pass) zero [0.16ms]\n", ["sum > adds"]],
  ["deno", "adds ... FAILED (1ms)\nzero ... ok (258µs)\n", ["adds"]],
  ["Foundry", "[PASS] test_A() (gas: 1)\n[FAIL: no] test_B(uint256) (gas: 2)\n", ["test_B(uint256)"]],
  ["Swift Testing", '✘ Test "adds" recorded an issue at A.swift:3:5: Expectation failed: x\n', ['"adds"']],
  ["Dart", "00:00 +1 -1: sum adds [E]\n  Expected: <3>\n", ["sum adds"]],
  ["Dart in GitHub Actions", "::group::✅ a\n::endgroup::\n::group::❌ b (failed)\n", ["b"]],
  ["Alcotest", "│ [FAIL]        core          0   adds.          │\n", ["adds"]],
  ["Unity", "a.c:1:test_a:PASS\na.c:2:test_b:FAIL: Expected 1 Was 2\n", ["test_b"]],
  ["TAP", "not ok 2 - adds\nok 3 - b\n", ["adds"]],
  ["colours", "\u001b[31m--- FAIL: TestA\u001b[0m (0.00s)\n", ["TestA"]],
  ["nothing known", "error: it broke\n", []],
])("the names of failing tests are read from %s", (_, output, names) => {
  expect(failingTests(output).map(({ name }) => name)).toEqual(names);
});

/** Lines without which some formats are not looked for. */
const known = "Test Suites: 1\n  1 failing\nFAILED | 1 passed\n";

/** The begins of lines and of names, in lines as long and as short as they can be. */
const hostile = [
  "  1) a\n        b\n",
  `  1) a\n${" ".repeat(40)}b`,
  "  1) a\n  Failure/Error",
  "1) a\n  Message",
  "FAIL a\n",
  "FAIL ",
  "  ● ",
  " FAIL  |a| ",
  '   FAIL  a  "',
  "a => a:1",
  "a => a:1\n",
  "Failure: a(",
  "Failure: a(\n",
  "Failure -> a @ 1\n",
  "#   Failed test 'a",
  "a Time elapsed: 1 s  <<< ",
  "✖ a (1ms)\n  '1 subtest",
  "  a.feature:1  ",
  "t/a.t (Wstat: 1 Tests: 1 ",
  "a ... FAILED (1) (1",
];

test("reads hostile output of full size to its end", () => {
  for (const piece of ["#", "a# [", " 1) test (", "1/1 a ", "(fail) [1", "a ... ", " > "])
    endsSoon(() => failingTests(piece.repeat((16 * 1024) / piece.length)));
  for (const piece of ["\n", " \n", "a > ", ...hostile])
    endsSoon(() => failingTests(`${known}${piece.repeat((256 * 1024) / piece.length)}`));
});

test("a bullet in other output is no failing test of Jest, and a numbered list none of Mocha", () => {
  expect(failingTests("● a point\n  1) one:\n✖ adds (0.5ms)\n")).toEqual([{ name: "adds" }]);
});

const node = `✖ adds (0.5ms)
ℹ fail 1

✖ failing tests:

test at sum.test.mjs:2:5
✖ adds (0.5ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1 !== 2

      at TestContext.<anonymous> (file:///sum.test.mjs:2:57)
`;
const cargo = `test adds ... FAILED

failures:

---- adds stdout ----

thread 'adds' (41) panicked at tests/sum.rs:10:5:
assertion \`left == right\` failed
  left: 3
 right: 2
note: run with \`RUST_BACKTRACE=1\`
`;
const unittest = `======================================================================
FAIL: test_adds (test_sum.Sum.test_adds)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_sum.py", line 6, in test_adds
    self.assertEqual(1, 2)
AssertionError: 1 != 2

======================================================================
`;
const rspec = `  1) Sum adds
     Failure/Error: expect(sum(1, 2)).to eq 3

       expected: 3
            got: 2

       (compared using ==)
     # ./spec/sum_spec.rb:5

rspec ./spec/sum_spec.rb:4 # Sum adds
`;
const jest = `  ● sum › adds

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: 2

      3 |   test("adds", () => {
`;
const vitest = ` FAIL  test/sum.test.ts > adds
AssertionError: expected 2 to be 3 // Object.is equality
`;
const tap = `not ok 1 - adds
  ---
  location: 'sum.test.mjs:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    2 !== 3

  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (sum.test.mjs:2:29)
  ...
ok 2 - subtracts
`;

test.each([
  ["pytest", "FAILED test_a.py::test_b - assert 1 == 2\n", "assert 1 == 2"],
  ["go", "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4\nFAIL\n", "got 3, want 4"],
  ["go, verbose", "    sum_test.go:9: got 3, want 4\n--- FAIL: TestSum (0.00s)\nFAIL\n", "got 3, want 4"],
  ["cargo", cargo, "assertion `left == right` failed left: 3 right: 2"],
  ["unittest", unittest, "AssertionError: 1 != 2"],
  ["rspec", rspec, "expected: 3 got: 2"],
  [
    "gradle",
    "AppTest > adds() FAILED\n    AssertionFailedError: expected: <3> but was: <2>\n",
    "AssertionFailedError: expected: <3> but was: <2>",
  ],
  ["jest", jest, "Expected: 3, Received: 2"],
  ["vitest", vitest, "AssertionError: expected 2 to be 3 // Object.is equality"],
  ["node:test", node, "Expected values to be strictly equal: 1 !== 2"],
  [
    "node:test with a diff",
    "✖ adds (0.5ms)\n  AssertionError [ERR_ASSERTION]: Not equal:\n  + actual - expected\n  \n  + 'a\"b'\n  - 'a'\n      ^\n  \n      at x\n",
    "Not equal: 'a\"b' instead of 'a'",
  ],
  ["minitest", "Sum#test_adds [test/sum_test.rb:5]:\nExpected: 5\n  Actual: 4\n\n", "Expected: 5 Actual: 4"],
  [
    "phpunit",
    "1) Sum\\AddTest::testAdds\nFailed asserting that 4 is 5.\n\n",
    "Failed asserting that 4 is 5.",
  ],
  [
    "exunit",
    "  1) test adds (AddsTest)\n     test/adds_test.exs:3\n     Assertion with == failed\n     left:  2\n     right: 3\n     stacktrace:\n",
    "Assertion with == failed left: 2 right: 3",
  ],
  ["TAP", tap, "Expected values to be strictly equal: 2 !== 3"],
  ["TAP on one line", "not ok 1 - adds\n  ---\n  message: 'no'\n  ...\n", "no"],
])("the message of a failing test is read from %s", (_, output, message) => {
  expect(failingTests(output)).toEqual([expect.objectContaining({ message })]);
});

test("each failing test of Go has its own message, in both orders", () => {
  const plain = "--- FAIL: TestA (0s)\n    a_test.go:1: a\n--- FAIL: TestB (0s)\n    b_test.go:2: b\nFAIL\n";
  const verbose =
    "=== RUN   TestA\n    a_test.go:1: a\n--- FAIL: TestA (0s)\n=== RUN   TestB\n    b_test.go:2: b\n--- FAIL: TestB (0s)\n";
  const tests = [
    { name: "TestA", message: "a" },
    { name: "TestB", message: "b" },
  ];
  expect(failingTests(plain)).toEqual(tests);
  expect(failingTests(verbose)).toEqual(tests);
  expect(failingTests(verbose.replaceAll(/^=== .*\n/gm, ""))).toEqual(tests);
});

test("a test without a message has none", () => {
  expect(failingTests("test adds ... FAILED\n")).toEqual([{ name: "adds" }]);
  expect(failingTests("A#test_b [t.rb:5]:\n2 runs, 2 assertions, 1 failures\n")).toEqual([
    { name: "A#test_b" },
  ]);
  expect(failingTests("✖ adds (0.5ms)\n✔ subtracts (0.5ms)\n")).toEqual([{ name: "adds" }]);
});
