import { expect, test } from "vitest";
import { failingNames } from "../../src/status/failing-names.ts";
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
  ["TAP", "not ok 2 - adds\nok 3 - b\n", ["adds"]],
  ["colours", "\u001b[31m--- FAIL: TestA\u001b[0m (0.00s)\n", ["TestA"]],
  ["nothing known", "error: it broke\n", []],
])("the names of failing tests are read from %s", (_, output, names) => {
  expect(failingNames(output)).toEqual(names);
});

test("reads hostile output of full size to its end", () => {
  for (const piece of ["#", "a# [", " 1) test (", "1/1 a ", "(fail) [1", "a ... ", " > "])
    endsSoon(() => failingNames(piece.repeat((16 * 1024) / piece.length)));
});
