import { globSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { pathFinder, readDescription } from "../parts/described/description.ts";
import { openDoor, type Passed } from "../parts/described/door.ts";
import { openGitHubHost } from "../parts/github-host/host.ts";
import { actAsAction } from "./act-as-action.ts";
import { actAsApp } from "./act-as-app.ts";

/** What was asked so far, as the description names it. */
const asked = new Set<string>();

test.each([
  ["the app", actAsApp],
  ["the action", actAsAction],
] as const)(
  "what %s asks is as GitHub describes it, and what is answered differs only where that is known",
  async (_, { options, play }) => {
    const host = await openGitHubHost(options);
    onTestFinished(() => host.close());
    const door = await openDoor(host.url);
    onTestFinished(() => door.close());
    await play(host, door.url);
    for (const { method, path } of door.passed) asked.add(`${method} ${path}`);
    expect(faults(door.passed, "request")).toEqual([]);
    const answered = door.passed.filter(({ status }) => status < 400);
    const differs = faults(answered, "response").filter((one) => !known.some((pattern) => pattern.test(one)));
    expect(differs).toEqual([]);
  },
);

/** What the description says against one side, each once; the emulator leaves out much, which is let pass. */
function faults(passed: readonly Passed[], side: "request" | "response"): readonly string[] {
  const all = passed.flatMap(({ method, path, wrong }) =>
    wrong
      .filter(({ location: [at], code }) => at === side && (side === "request" || code !== "required"))
      .map(({ location, message }) => `${method} ${path}: ${location.slice(1).join(".")}: ${message}`),
  );
  return [...new Set(all)];
}

/** What the emulator says otherwise than GitHub would. */
const known: readonly RegExp[] = [
  // A user is one of two forms, and the emulator's lacks parts of both.
  /^GET \/users\/\{username\}: body: Response body must match exactly one schema in oneOf$/,
  // The emulator's app belongs to nobody.
  /^GET \/app: body\.owner: /,
  // Addresses of its own making: some are empty, some begin with a slash.
  /must match format "uri"$/,
  // A label without a description: GitHub says null, as its description of issues has it, and that of pulls has not.
  /^GET \/repos\/\{owner\}\/\{repo\}\/pulls: body\.\d+\.labels\.\d+\.description: .* must be string$/,
  // A file, a folder, a link and a submodule are one of four forms, and the other three are complained of too.
  /^GET \/repos\/\{owner\}\/\{repo\}\/contents\/\{path\}: body(\.type)?: .* must (be|match)/,
];

test("every route that our sources name was asked", () => {
  const find = pathFinder(readDescription());
  const text = globSync(["app/*.ts", "action/**/*.ts", "src/{github,stores}/**/*.ts"])
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const named = [...text.matchAll(/["`](GET|POST|PATCH|PUT|DELETE) (\/[^"`]+)["`]/g)].map(
    ([, method, route = ""]) => `${method} ${find(spelled(route)) ?? route}`,
  );
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set(named)].filter((route) => !asked.has(route)).toSorted()).toEqual(
    Object.keys(unasked).toSorted(),
  );
});

/** Any path of a route; one name is as good as another. */
const spelled = (route: string) =>
  route
    .replace(/\?.*$/, "")
    .replace("git/${what}", "git/ref")
    .replace("heads/${below}", "x")
    .replace(/\$\{[^}]*\}|\{[^}]*\}/g, "x");

/** Routes that are not asked here, and why. */
const unasked: Readonly<Record<string, string>> = {
  "POST /app/hook/deliveries/{delivery_id}/attempts": "the emulator has no deliveries that failed",
  "GET /repos/{owner}/{repo}/git/commits/{commit_sha}":
    "an update of a ref must be in doubt while another writer builds upon it",
  "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}":
    "two programs must post the same comment at once",
  "DELETE /repos/{owner}/{repo}/git/refs/{ref}":
    "records are removed 30 days after their end: test/app/retention",
  "GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs":
    "it answers with a redirect to a file: until-merged",
  "GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations":
    "the log of a failed check is asked with them: until-checks",
  "POST /repos/{owner}/{repo}/issues/{issue_number}/assignees": "the emulator has no people to assign",
  "POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": "the emulator has no people to ask",
};
