const inVenv = 'python3 -m venv "$HOME/venv" && . "$HOME/venv/bin/activate"';

/**
 * The command that prepares a fresh clone for the check, by the files at the top of the project; missing if the tool
 * needs none. The first row with an existing file counts. Lock files come before manifests, because they are more
 * precise.
 */
const rows: readonly (readonly [files: readonly string[], setup?: string])[] = [
  [["pnpm-lock.yaml"], "pnpm install --frozen-lockfile --prefer-offline"],
  [["yarn.lock"], "yarn install --immutable || yarn install --frozen-lockfile"],
  [["bun.lock", "bun.lockb"], "bun install --frozen-lockfile"],
  [["package-lock.json", "npm-shrinkwrap.json"], "npm ci --prefer-offline --no-audit --no-fund"],
  [["package.json"]],
  [["uv.lock"], "uv sync --frozen"],
  [["poetry.lock"], "poetry install --no-interaction"],
  [["pdm.lock"], "pdm sync --dev"],
  [["Pipfile"], "pipenv install --dev"],
  [
    ["requirements.txt", "requirements-dev.txt"],
    `${inVenv} && for file in requirements*.txt; do python3 -m pip install --quiet --disable-pip-version-check -r "$file" || exit; done`,
  ],
  [["pyproject.toml", "setup.py", "setup.cfg", "go.mod", "go.work", "Cargo.toml"]],
  [["Gemfile.lock", "Gemfile"], "bundle install --quiet"],
  [["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]],
  [["composer.json"], "composer install --quiet --no-interaction"],
  [["mix.lock"], "mix local.hex --force >/dev/null && mix local.rebar --force >/dev/null && mix deps.get"],
];

/** The bash command that prepares a fresh clone, by the names of the files at the top of the project. */
export function setupOf(names: readonly string[]): string | undefined {
  const there = new Set(names);
  return rows.find(([files]) => files.some((file) => there.has(file)))?.[1];
}
