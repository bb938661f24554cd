import { expect, test } from "vitest";
import { faultsOf, notesOf } from "../../scripts/release.ts";

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
