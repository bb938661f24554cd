/**
 * Folders in which package managers install, and which came into a tree since another one: their content is no part of
 * the work, and a setup that finds it there may take it as it is.
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
  // Go has a folder of that name too, which its own command writes and which people commit.
  /^(?:.*?\/)?vendor(?=\/composer\/installed\.json$)/,
  /^(?:.*?\/)?deps(?=\/[^/]+\/mix\.exs$)/,
];

/** A test may be about such folders. */
const ofTests = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__fixtures__|examples?)\//;
