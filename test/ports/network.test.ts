import { expect, test } from "vitest";
import { faultOfHost, hostsIn, isReachable, localPorts } from "../../src/ports/network.ts";

type Case = readonly [rule: readonly string[], host: string, port: number, is: boolean];
const cases: readonly Case[] = [
  [["example.com"], "example.com", 443, true],
  [["example.com"], "EXAMPLE.com.", 80, true],
  [["example.com"], "example.com", 22, false],
  [["example.com:22"], "example.com", 22, true],
  [["example.com:22"], "example.com", 443, false],
  [["example.com"], "a.example.com", 443, false],
  [["example.com"], "notexample.com", 443, false],
  [["*.example.com"], "a.b.example.com", 443, true],
  [["*.example.com"], "example.com", 443, false],
  [["*.example.com"], "example.com.evil.test", 443, false],
  [["*.example.com"], ".example.com", 443, false],
  [["*.example.com"], "evil.test/.example.com", 443, false],
  [["*.example.com"], "evil.test:443/a.example.com", 443, false],
  [["*.example.com"], "evil.test@a.example.com", 443, false],
  [["npm"], "registry.npmjs.org", 443, true],
  [["npm"], "npm", 443, false],
  [["npm"], "pypi.org", 443, false],
  [[], "example.com", 443, false],
  [["example.com"], "169.254.169.254", 80, false],
];

test.each(cases)("by %j, %s:%i is reachable: %s", (...[rule, host, port, is]) => {
  expect(isReachable(rule, { host, port })).toBe(is);
});

test.each(["npm", "example.com", "*.example.com:8443", "localhost:5432", "10.0.0.1:80"])(
  "%s names hosts",
  (text) => {
    expect(faultOfHost(text)).toBeUndefined();
  },
);

test.each([
  ["nmp", "neither a host"],
  ["https://example.com", "neither a host"],
  ["example.com/path", "neither a host"],
  ["*", "neither a host"],
  ["*.com.*", "neither a host"],
  ["example.com:0", "port from 1 to 65535"],
  ["localhost", "`localhost` needs a port"],
])("%s is refused: %s", (text, reason) => {
  expect(faultOfHost(text)).toContain(reason);
});

test("hosts on one line are separated by commas or spaces, and `none` is none", () => {
  expect(hostsIn("npm, github\nexample.com")).toEqual(["npm", "github", "example.com"]);
  expect(hostsIn(" none ")).toEqual([]);
  expect(localPorts(["npm", "localhost:5432", "example.com:1"])).toEqual([5432]);
});
