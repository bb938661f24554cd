import { describe, expect, test } from "vitest";
import { fingerprint } from "../../src/stops/no-progress.ts";
import { endsSoon } from "../parts/ends-soon.ts";

describe("the fingerprint of a failed check", () => {
  test.each([
    ["", "cbf29ce484222325"],
    ["a", "af63dc4c8601ec8c"],
    ["foobar", "85944171f73967e8"],
  ])("is the FNV-1a of its text, as published: %j", (text, expected) => {
    expect(fingerprint(text)).toBe(expected);
  });
  test.each([
    ["1 failed in 3.21s", "1 failed in 12s"],
    ["✗ adds (4 ms)", "✗ adds (1.5 s)"],
    ["took 1m 30s", "took 58s"],
    ["took 12µs", "took 5 us"],
    ["took 3 sec", "took 5 secs"],
    ["on 2026-01-02", "on 2026-11-12 13:14"],
    ["took 80ns", "took 5 µs"],
    ["one \n\n\n  two", "one\ntwo"],
    ["at 2026-01-02T03:04:05.678Z", "at 2026-11-12T13:14:15Z"],
    ["[12:01:02] boom", "[9:15:59] boom"],
    ["cannot open /tmp/abc-123/x.js:1", "cannot open /tmp/zzz/q.js:7"],
    ["cannot open C:\\Users\\ab\\Temp\\q1\\x.js", "cannot open D:\\Temp\\z.js"],
    ["in /private/var/folders/x/y", "in /var/tmp/z"],
    ["took 3 minutes", "took 2.5 hours"],
    ["object 0x7ffe12ab died", "object 0x1 died"],
    ["commit 1a2b3c4d", "commit deadbee0f00"],
    ["id 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "id 7ca7b811-1fab-4c2e-9abc-0a1b2c3d4e5f"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["a  b\n\n", "a b"],
  ])("is the same for %j and %j", (one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other));
  });

  test.each([
    ["✗ adds", "✗ subtracts"],
    ["expected true", "expected false"],
    ["", "x"],
    ["id 6ba7b810-9dad-11d1-80b4-00c04fd430c8", "id"],
    ["object 0x7ffe12ab", "object"],
    ["commit 1a2b3c4d", "commit"],
    ["took 3s", "took"],
    ["at 12:01", "at"],
    ["at 2026-01-02T03:04:05Z", "at"],
    ["cannot open /tmp/a", "cannot open"],
    ["cannot open C:\\Temp\\a", "cannot open"],
    ["line one\nline two", "line one line two"],
    ["a b", "ab"],
    ["failed:\nadds", "failed:\nsubtracts"],
    ["failed:\n  adds", "failed:\n  subtracts"],
  ])("differs for %j and %j", (one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other));
  });

  test("is short and found, whatever the output", () => {
    for (const piece of ["1", "a1", "C:\\", "1s ", "/tmp/", "\n", " \n"]) {
      expect(endsSoon(() => fingerprint(piece.repeat(2 ** 19 / piece.length)))).toHaveLength(16);
    }
  });
});
