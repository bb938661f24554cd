import { globSync, readFileSync } from "node:fs";
import { load } from "js-yaml";
import { expect, test } from "vitest";

interface Manifest {
  readonly default_events: readonly string[];
  readonly default_permissions: Readonly<Record<string, string>>;
}

const manifest = load(readFileSync("app.yml", "utf8")) as Manifest;
const sources = globSync(["app/**/*.ts", "src/adapters/{github,stores}/**/*.ts"]);
const text = sources.map((file) => readFileSync(file, "utf8")).join("\n");

test("the app is told of the events that it hears, and of no others", () => {
  const heard = [...text.matchAll(/probot\.on\("([a-z_]+)/g)].map(([, event]) => event);
  expect([...new Set(heard)].toSorted()).toEqual(manifest.default_events.toSorted());
});

/** What GitHub asks for, by the routes that it stands for. */
const needs: readonly (readonly [RegExp, string, string])[] = [
  [/"(GET|POST) \/repos\/\{owner\}\/\{repo\}\/actions\/workflows\/[^"]*dispatches"/, "actions", "write"],
  [/"POST \/repos\/\{owner\}\/\{repo\}\/check-runs"/, "checks", "write"],
  [/"POST \/repos\/\{owner\}\/\{repo\}\/git\/(trees|commits)"/, "contents", "write"],
  [/"POST \/repos\/\{owner\}\/\{repo\}\/issues\/comments\/\{comment\}\/reactions"/, "issues", "write"],
  [/"GET \/repos\/\{owner\}\/\{repo\}\/pulls\/\{pull\}"/, "pull_requests", "write"],
  [/"GET \/orgs\/\{org\}\/teams\//, "members", "read"],
  [/"GET \/repos\/\{owner\}\/\{repo\}\/collaborators\//, "metadata", "read"],
];

test.each(needs)("what is asked by %s, the manifest allows", (route, permission, level) => {
  expect(text).toMatch(route);
  expect(manifest.default_permissions[permission]).toBe(level);
});

test("no permission is asked for that nothing needs", () => {
  expect(Object.keys(manifest.default_permissions).toSorted()).toEqual(
    needs.map(([, permission]) => permission).toSorted(),
  );
});
