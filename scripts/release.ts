/**
 * Prepares a release in a folder: the package, the notes from the changelog, the npm tag. Refuses if tag and content
 * differ. Run by .ci/pack; without a tag, a dry run of the version in package.json. @module
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The section of a version in a changelog, without its heading; empty if there is none. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  return section === undefined ? "" : section.slice(section.indexOf("\n")).trim();
}

interface Release {
  /** Empty in a dry run. */
  readonly tag: string;
  readonly version: string;
  readonly changelog: string;
}

/** Why this tag cannot be released; empty if it can. */
export function faultsOf({ tag, version, changelog }: Release): readonly string[] {
  const heading = changelog.match(new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\](.*)$`, "m"))?.[1];
  return [
    tag !== "" && tag !== `v${version}` ? `the tag is ${tag}, and package.json says ${version}` : "",
    heading === undefined ? `CHANGELOG.md has no section [${version}]` : "",
    tag !== "" && /unreleased/i.test(heading ?? "")
      ? `CHANGELOG.md calls ${version} unreleased: give it its date`
      : "",
  ].filter((fault) => fault !== "");
}

/**
 * The manifest of the published package. `dist/` contains every library it uses, so they are no dependencies. The
 * command line itself checks the Node version, because some package managers would refuse an older Node that works.
 */
export function publishedManifest(manifest: string): string {
  const { dependencies, devDependencies, scripts, engines, ...published } = JSON.parse(manifest) as Record<
    string,
    unknown
  >;
  return `${JSON.stringify(published, undefined, 2)}\n`;
}

function pack(folder: string): void {
  const staged = mkdtempSync(join(tmpdir(), "until-green-package-"));
  try {
    const manifest = readFileSync("package.json", "utf8");
    const { files } = JSON.parse(manifest) as { readonly files: readonly string[] };
    const committed = execFileSync("git", ["ls-files", "-z", "--", ...files], { encoding: "utf8" });
    for (const name of committed.split("\0").filter((each) => each !== "")) cpSync(name, join(staged, name));
    writeFileSync(join(staged, "package.json"), publishedManifest(manifest));
    execFileSync("npm", ["pack", staged, "--silent", "--ignore-scripts", "--pack-destination", folder], {
      stdio: "inherit",
    });
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

function main(folder: string, tag: string): void {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const changelog = readFileSync("CHANGELOG.md", "utf8");
  const faults = faultsOf({ tag, version, changelog });
  if (faults.length > 0) {
    for (const fault of faults) console.error(`release: ${fault}`);
    process.exitCode = 1;
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  pack(folder);
  writeFileSync(join(folder, "notes.md"), `${notesOf(changelog, version)}\n`);
  writeFileSync(join(folder, "npm-tag"), version.includes("-") ? "next" : "latest");
  console.log(
    `release: ${version} is ready in ${folder}${tag === "" ? " (dry run: nothing is published)" : ""}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  main(process.argv[2] ?? ".until-green/release", process.argv[3] ?? "");
