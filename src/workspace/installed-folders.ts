/**
 * Folders of installed packages that were added to a tree since another one. Their content is not part of the work, and
 * a setup command that finds them may skip the installation.
 */
export function installedFolders(paths: readonly string[], before: readonly string[]): readonly string[] {
  const folders = paths
    .filter((path) => !ofTests.test(path))
    .flatMap((path) => patterns.map((pattern) => pattern.exec(path)?.[0]))
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].filter((folder) => !before.some((path) => path.startsWith(`${folder}/`)));
}

const patterns: readonly RegExp[] = [
  /^(?:.*?\/)?(?:node_modules|\.venv|\.tox|\.nox|__pypackages__|_build|vendor\/bundle)(?=\/)/,
  // Go also has a `vendor` folder, which `go mod vendor` writes and which people commit.
  /^(?:.*?\/)?vendor(?=\/composer\/installed\.json$)/,
  /^(?:.*?\/)?deps(?=\/[^/]+\/mix\.exs$)/,
];

/** Tests may have such folders as data. */
const ofTests = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__fixtures__|examples?)\//;
