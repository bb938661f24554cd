import { parse } from "smol-toml";
import type { Folder, Project } from "./folder.ts";

/** A Python project: pytest or unittest, run by uv, poetry, pdm, pipenv, hatch, tox, nox or plain Python. */
export function findPython(folder: Folder): Project | undefined {
  const tests = testFiles(folder);
  if (!markers.some(folder.has) && tests.length === 0) return undefined;
  const usesPytest = isPytest(folder, tests);
  const runner = runnerOf(folder);
  if (runner === pip && isToxOnly(folder)) return bySessions(folder, "tox", "tox -e py");
  if (runner === pip && folder.has("noxfile.py") && !namesPytest(folder))
    return bySessions(folder, "nox", "nox");
  // Hatch installs pytest itself.
  if (runner === pip && /^\[tool\.hatch\.envs\.hatch-test/m.test(folder.read("pyproject.toml")))
    return bySessions(folder, "hatch", "hatch test");
  const module = usesPytest ? "pytest -q" : "unittest";
  const command = usesPytest && runner.prefix !== "" ? module : `python3 -m ${module}`;
  const name = usesPytest ? "pytest" : "unittest";
  const environment = [".venv", "venv"].find((own) => folder.has(`${own}/bin/activate`));
  return {
    tool: runner.name === "pip" ? name : `${name} with ${runner.name}`,
    check: `${runner.prefix}${command}`,
    install: runner.install(folder, usesPytest),
    setup: [pythonStep(folder), ...runner.setup],
    ...(runner === pip && environment !== undefined ? { environment } : {}),
  };
}

const markers = [
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
  "pytest.ini",
  "tox.ini",
  "uv.lock",
  "poetry.lock",
  "Pipfile",
  "noxfile.py",
];

interface Runner {
  readonly name: "uv" | "poetry" | "pdm" | "pipenv" | "pip";
  /** The prefix of the command that runs the tests. */
  readonly prefix: string;
  readonly setup: readonly string[];
  install(folder: Folder, usesPytest: boolean): string | undefined;
}

const uv: Runner = {
  name: "uv",
  prefix: "uv run ",
  setup: ["- uses: astral-sh/setup-uv@v7"],
  install: ({ read }) =>
    read("pyproject.toml").includes("[tool.uv.workspace]") ? "uv sync --all-packages" : "uv sync",
};

const poetry: Runner = {
  name: "poetry",
  prefix: "poetry run ",
  setup: ["- run: pipx install poetry"],
  install: () => "poetry install",
};

const pdm: Runner = {
  name: "pdm",
  prefix: "pdm run ",
  setup: ["- run: pipx install pdm"],
  install: () => "pdm install",
};

const pipenv: Runner = {
  name: "pipenv",
  prefix: "pipenv run ",
  setup: ["- run: pipx install pipenv"],
  install: () => "pipenv install --dev",
};

const pip: Runner = {
  name: "pip",
  prefix: "",
  setup: [],
  install(folder, usesPytest) {
    const files = requirementFiles(folder).map((file) => `-r ${file}`);
    const { extra, group } = testPackages(folder);
    const itself = isInstallable(folder) ? [extra === undefined ? "-e ." : `-e '.[${extra}]'`] : [];
    const groups = extra === undefined && group !== undefined ? [`--group ${group}`] : [];
    const pytest = usesPytest && !namesPytest(folder) ? ["pytest"] : [];
    const all = [...files, ...itself, ...groups, ...pytest];
    return all.length === 0 ? undefined : `python3 -m pip install ${all.join(" ")}`;
  },
};

function runnerOf({ has, find, read }: Folder): Runner {
  if (has("uv.lock")) return uv;
  const settings = read("pyproject.toml");
  if (has("poetry.lock") || /^\[tool\.poetry|poetry\.core/m.test(settings)) return poetry;
  if (has("pdm.lock") || /^\[tool\.pdm|pdm\.backend/m.test(settings)) return pdm;
  if (has("Pipfile")) return pipenv;
  return find("uv.lock") || settings.includes("[tool.uv") ? uv : pip;
}

const requirementFiles = ({ names }: Folder) =>
  names()
    .filter((name) => /^requirements([-_.](dev|test|tests))?\.txt$/.test(name))
    .sort();

const requirementsOf = (folder: Folder) => requirementFiles(folder).map(folder.read).join("\n");

/** The optional dependencies in pyproject.toml that contain pytest: an extra, or a dependency group. */
function testPackages({ read }: Folder): { readonly extra?: string; readonly group?: string } {
  const { project, "dependency-groups": groups } = tables(read("pyproject.toml"));
  const extra = naming(project?.["optional-dependencies"]);
  const group = naming(groups);
  return { ...(extra === undefined ? {} : { extra }), ...(group === undefined ? {} : { group }) };
}

function naming(lists: Lists | undefined): string | undefined {
  return Object.entries(lists ?? {}).find(
    ([name, packages]) => /^[\w.-]+$/.test(name) && /pytest/i.test(JSON.stringify(packages)),
  )?.[0];
}

type Lists = Readonly<Record<string, unknown>>;

interface Tables {
  readonly project?: { readonly "optional-dependencies"?: Lists };
  readonly "dependency-groups"?: Lists;
}

function tables(toml: string): Tables {
  try {
    return parse(toml) as Tables;
  } catch {
    return {}; // its tool will say what is wrong with it
  }
}

const isInstallable = ({ has }: Folder) => ["pyproject.toml", "setup.py"].some(has);

function namesPytest(folder: Folder): boolean {
  const { extra, group } = testPackages(folder);
  return extra !== undefined || group !== undefined || /pytest/i.test(requirementsOf(folder));
}

/** Only tox knows what the tests need. */
function isToxOnly(folder: Folder): boolean {
  const { has, read } = folder;
  const isTox =
    /^\[testenv\]/m.test(read("tox.ini")) ||
    has("tox.toml") ||
    /^\[tool\.tox[\].]/m.test(read("pyproject.toml"));
  return isTox && !namesPytest(folder);
}

/** A tool that installs what the tests need. `tox -e py` uses the installed Python, which may not be in its list. */
const bySessions = (folder: Folder, tool: "tox" | "nox" | "hatch", check: string): Project => ({
  tool,
  check,
  install: `python3 -m pip install ${tool}`,
  setup: [pythonStep(folder)],
});

function isPytest(folder: Folder, tests: readonly string[]): boolean {
  const { has, read } = folder;
  const settings = ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile"].map(read).join("\n");
  if (has("pytest.ini") || has("conftest.py") || has("tests/conftest.py")) return true;
  if (/pytest/i.test(settings + requirementsOf(folder))) return true;
  return !tests.some((path) => /^\s*(import|from) unittest\b/m.test(read(path)));
}

/** Test files in the top folder, in `tests/` and in `test/`. */
const testFiles = ({ names }: Folder): readonly string[] =>
  ["", "tests", "test"].flatMap((below) =>
    names(below)
      .filter((name) => /^test_.*\.py$|_test\.py$/.test(name))
      .map((name) => (below === "" ? name : `${below}/${name}`)),
  );

function pythonStep({ find }: Folder): string {
  const file = find(".python-version");
  const version = file === undefined ? 'python-version: "3.13"' : `python-version-file: ${file}`;
  return `- uses: actions/setup-python@v6\n  with:\n    ${version}`;
}
