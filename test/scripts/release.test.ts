import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultsOf, notesOf, publishedManifest } from "../../scripts/release.ts";

const changelog =
  "# Changelog\n\n## [1.1.0] - 2026-03-01\n\n### Added\n\n- b\n\n## [1.0.0] - Unreleased\n\n- a\n";

test("the notes of a release are the changelog's section of its version", () => {
  expect(notesOf(changelog, "1.1.0")).toBe("### Added\n\n- b");
  expect(notesOf(changelog, "1.0.0")).toBe("- a");
});

test.each([
  ["v1.1.0", "1.1.0", []],
  ["", "1.0.0", []],
  [
    "v1.1.0",
    "1.2.0",
    ["the tag is v1.1.0, and package.json says 1.2.0", "CHANGELOG.md has no section [1.2.0]"],
  ],
  ["v1.0.0", "1.0.0", ["CHANGELOG.md calls 1.0.0 unreleased: give it its date"]],
])("the tag %j of version %s is refused for these reasons: %j", (tag, version, faults) => {
  expect(faultsOf({ tag, version, changelog })).toEqual(faults);
});

test("the published package downloads Node and no library, and no package manager refuses it on an older Node", () => {
  const own = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;
  const published = JSON.parse(publishedManifest(JSON.stringify(own))) as Record<string, unknown>;
  const left = ["dependencies", "devDependencies", "scripts", "engines"];
  expect(Object.keys(own).filter((key) => !(key in published))).toEqual(expect.arrayContaining(left));
  expect(published).toMatchObject({
    name: own["name"],
    bin: own["bin"],
    files: own["files"],
    repository: own["repository"],
    optionalDependencies: own["optionalDependencies"],
  });
});
