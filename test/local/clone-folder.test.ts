import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchCloneFolders } from "../../src/local/clone-folder.ts";

/** Three places for clones, and the function that makes one. */
function openPlaces(...old: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "until-green-test-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const places = ["a", "b", "c"].map((name) => join(root, name));
  for (const place of places) mkdirSync(place);
  const plant = (name: string) => writeFileSync(join(root, name), "");
  for (const name of old) plant(name);
  const make = watchCloneFolders(places);
  return { plant, place: () => dirname(make()).slice(root.length + 1) };
}

test.each([
  ".mocharc.json",
  ".mocharc.cjs",
  ".pytest.ini",
  "pytest.ini",
  "babel.config.cjs",
  ".cargo",
  ".mvn",
  "pnpm-workspace.yaml",
  "package.json",
  "node_modules",
  "Rakefile",
  ".envrc",
])("a fresh clone is not made below a folder with %s", (name) => {
  const { plant, place } = openPlaces();
  expect(place()).toBe("a");
  plant(`a/${name}`);
  expect(place()).toBe("b");
});

test("files of other programs are in nobody's way", () => {
  const { plant, place } = openPlaces();
  for (const name of ["x.json", "log.txt", ".X11-unix", "report.xml", "main.py"]) plant(`a/${name}`);
  expect(place()).toBe("a");
});

test("no clone is made if files that appeared during the run would configure tools everywhere", () => {
  const { plant, place } = openPlaces();
  for (const name of ["a", "b", "c"]) plant(`${name}/.mocharc.yml`);
  expect(place).toThrow(/tools would read .*a\/\.mocharc\.yml.* remove these files, then resume/);
});

test("a place whose files were there before the run is better than one with new files", () => {
  const { plant, place } = openPlaces("b/package.json");
  for (const name of ["a", "c"]) plant(`${name}/pytest.ini`);
  expect(place()).toBe("b");
});

test("a file above all places counts, too", () => {
  const { plant, place } = openPlaces();
  plant("tox.ini");
  expect(place).toThrow(/tox\.ini/);
});
