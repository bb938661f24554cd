import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Manifest {
  readonly default_events: readonly string[];
  readonly default_permissions: Readonly<Record<string, string>>;
}

const manifest = parse(readFileSync("app.yml", "utf8")) as Manifest;
/** All that runs in the app; what only jobs ask stands in other files. */
const sources = globSync([
  "app/*.ts",
  "src/issue-ops/*.ts",
  "src/github/{api,checks,dispatch,permission}.ts",
  "src/stores/{rest-ref.ts,rest/*.ts}",
]).filter((file) => file !== "app/sweep-job.ts");
const text = sources.map((file) => readFileSync(file, "utf8")).join("\n");

test("the app subscribes to the events that it handles, and to no others", () => {
  const handled = [...text.matchAll(/probot\.on\("([a-z_]+)/g)].map(([, event]) => event);
  expect([...new Set(handled)].toSorted()).toEqual(manifest.default_events.toSorted());
});

/** What GitHub asks for, by the routes that it stands for; what any app may ask of itself needs nothing. */
const needs: readonly (readonly [RegExp, string | undefined])[] = [
  [/^\/(app|graphql)(\/|$)|\/installation$/, undefined],
  [/^\/repos\/[^/]+\/[^/]+$|\/collaborators\//, "metadata"],
  [/^\/orgs\/[^/]+\/teams\//, "members"],
  [/\/actions\//, "actions"],
  [/\/check-(runs|suites)/, "checks"],
  [/\/(git|contents)\//, "contents"],
  [/\/issues\//, "issues"],
  [/\/pulls\//, "pull_requests"],
];

const routes = [...text.matchAll(/["`](GET|POST|PATCH|PUT|DELETE) (\/[^"`]+)["`]/g)].map(
  ([, method = "", path = ""]) => ({
    method,
    path: path.replace(/\$?\{[^}]*\}/g, "x").replace("/git/x/x", "/git/ref/x"),
  }),
);

test("the manifest requests exactly the permissions that the app's requests need", () => {
  const needed = new Map<string, string>();
  for (const { method, path } of routes) {
    const found = needs.find(([pattern]) => pattern.test(path));
    expect(found, `${method} ${path}`).toBeDefined();
    const name = found?.[1];
    if (name !== undefined && needed.get(name) !== "write")
      needed.set(name, method === "GET" ? "read" : "write");
  }
  // Answers and marks on a pull request are those of its issue, and take the permission of both.
  needed.set("pull_requests", "write");
  expect(routes.length).toBeGreaterThan(20);
  expect(Object.fromEntries(needed)).toEqual(manifest.default_permissions);
});
