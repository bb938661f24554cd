/** Input that determines where a language looks for modules. */
export interface Searched {
  /** Ids of the tools in use. */
  readonly tools: readonly string[];
  /** The paths of all files in the checkout. */
  readonly paths: readonly string[];
  /** The checks, the scripts they call, and their tools' settings. */
  readonly text: string;
  /** Folders whose files the checks start, ending with a slash. */
  readonly started: readonly string[];
}

/**
 * Globs of files that would be loaded instead of a module that test runners load by name. A file that already exists is
 * the project's own code, and is left out.
 */
export function shadowingFiles({ tools, paths, text, started }: Searched): readonly string[] {
  const used = languages.filter(({ tool }) => tools.includes(tool));
  if (used.length === 0) return [];
  const modules = new Set(
    paths.filter((path) => isModule.test(path)).map((path) => path.replace(/(?:\/__init__)?\.[^/]*$/, "")),
  );
  const isThere = (name: string) =>
    name.includes("*")
      ? [...modules].some((module) => new RegExp(`^${name.replaceAll("*", "[^/]*")}$`).test(module))
      : modules.has(name);
  return used.flatMap(({ folders, names, more, endings }) => {
    const searched = [...folders({ paths, text }), ...started].filter((folder) => isPlain.test(folder));
    return [...new Set(searched)].slice(0, 50).flatMap((folder) => {
      const all = [...names.split(" "), ...(more?.({ tools, text }) ?? [])];
      const missing = [...new Set(all)].filter((name) => !isThere(folder + name));
      return missing.length < 2 ? [] : [`${folder}{${missing.join(",")}}${endings}`];
    });
  });
}

const isModule = /\.(?:py[cd]?|so|rb|pmc?)$/;

/** No characters with a meaning in a glob. */
const isPlain = /^(?:[\w@. -]+\/)*$/;

interface Language {
  /** The id of the tool that stands for the language. */
  readonly tool: string;
  /** The folders that are searched before the installed modules. */
  folders(checkout: Pick<Searched, "paths" | "text">): readonly string[];
  /** The modules' names, separated by spaces. */
  readonly names: string;
  /** Those of the tools in use. */
  more?(use: Pick<Searched, "tools" | "text">): readonly string[];
  /** The possible suffixes of a module's name. */
  readonly endings: string;
}

/** Modules that are loaded by name, by the id of the tool; for pytest, plugins with names of their own. */
const ofPythonTools: Readonly<Record<string, string>> = {
  pytest:
    "anyio sniffio faker syrupy typeguard flaky requests_mock pyfakefs respx freezegun xprocess testinfra allure_pytest inline_snapshot _hypothesis_pytestplugin _hypothesis_ftz_detector _hypothesis_globals",
  "python linters":
    "mypy mypyc mypy_extensions librt pathspec flake8 pycodestyle pyflakes mccabe pylint astroid dill isort tomlkit black blackd blib2to3 _black_version click pytokens ruff pyright basedpyright nodeenv",
  django: "asgiref sqlparse",
  tox: "tox nox pyproject_api virtualenv distlib filelock cachetools chardet",
};

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

const languages: readonly Language[] = [
  {
    tool: "python",
    folders: ({ paths, text }) => {
      const projects = paths.filter((path) => ofPythonProject.test(path)).map(folderOf);
      const packages = new Set(paths.filter((path) => /(?:^|\/)__init__\.py$/.test(path)).map(folderOf));
      // pytest and unittest add the folder of a test that is not in a package.
      const tests = paths.filter((path) => isPythonTest.test(path)).map(folderOf);
      const named = [...text.matchAll(/\bpythonpath["']?\s*[=:]\s*(\[[^\]]*\]|[^\s;&|]+(?:\n[ \t]+\S+)*)/gi)]
        .flatMap(([, value = ""]) => value.split(/[[\]\s"',:;]+|\{toxinidir\}|\$\{?PWD\}?/))
        .map((folder) => folder.replace(/^(?:\.?\/)+|\/+$/g, ""))
        .filter((folder) => folder !== "" && folder !== ".");
      const tops = [...new Set(["", ...projects])];
      return [
        ...tops,
        ...tops.flatMap((top) => named.map((folder) => `${top}${folder}/`)),
        ...tests.filter((folder) => !packages.has(folder)),
      ];
    },
    // From the standard library, the modules that pytest, unittest, coverage and doctest load; from packages, those
    // that pytest loads.
    names:
      "argparse array ast asyncio base64 bdb binascii bisect bz2 calendar cmd code codeop collections concurrent configparser contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib dis doctest email enum fcntl fnmatch fractions functools getopt getpass gettext glob gzip hashlib heapq html imp importlib inspect ipaddress json keyword linecache locale logging lzma math multiprocessing numbers opcode operator optparse pathlib pdb pickle pkgutil platform pprint pyexpat queue quopri random re readline reprlib select selectors shlex shutil signal socket sqlite3 ssl string struct subprocess sysconfig tempfile textwrap threading token tokenize tomllib traceback tracemalloc types typing unicodedata unittest urllib uuid warnings weakref xml zipfile zlib zoneinfo" +
      // Compiled parts of the standard library, and what only some versions load.
      " __future__ _asyncio _bisect _blake2 _bz2 _colorize _compat_pickle _compression _contextvars _csv _ctypes _datetime _decimal _elementtree _hashlib _heapq _json _lzma _multiprocessing _opcode _opcode_metadata _pickle _posixshmem _posixsubprocess _pydatetime _pydecimal _queue _random _sha1 _sha2 _sha3 _sha512 _socket _sqlite3 _ssl _statistics _strptime _struct _sysconfigdata_* _typing _uuid _weakrefset _zoneinfo grp ntpath py rlcompleter runpy sre_compile sre_constants sre_parse termios uu" +
      " pytest _pytest pluggy iniconfig packaging pygments exceptiongroup tomli colorama attr attrs coverage hypothesis sortedcontainers xdist execnet platformdirs typing_extensions nose2 pytest_asyncio pytest_cov pytest_mock pytest_timeout pytest_django pytest_randomly pytest_rerunfailures pytest_subtests pytest_sugar pytest_env pytest_* django",
    more: ({ tools, text }) => [
      ...[...text.matchAll(/\bpy(?:thon[\d.]*)?\b[^;&|\n]*?\s-m[ \t]+([A-Za-z_]\w*)/g)].map(
        ([, name = ""]) => name,
      ),
      ...Object.entries(ofPythonTools).flatMap(([id, names]) => (tools.includes(id) ? names.split(" ") : [])),
    ],
    // A file without an extension may be a link to a package.
    endings: "{,.py,.pyc,.pyd,.so,.*.pyd,.*.so,/__init__.*}",
  },
  {
    tool: "ruby",
    folders: ({ paths }) => [
      "lib/",
      "test/",
      "spec/",
      ...paths.filter((path) => /(?:^|\/)(?:lib|test|spec)\/[^/]+\.rb$/.test(path)).map(folderOf),
    ],
    names:
      "bundled_gems bundler bundler/setup did_you_mean did_you_mean/* error_highlight error_highlight/* rubygems rubygems/* syntax_suggest syntax_suggest/core minitest minitest/autorun minitest/assertions minitest/spec minitest/test minitest/unit minitest/mock minitest/parallel minitest/expectations minitest/benchmark minitest/reporters minitest/*_plugin rspec rspec/autorun rspec/core rspec/core/* rspec/expectations rspec/expectations/* rspec/matchers rspec/matchers/* rspec/matchers/*/* rspec/mocks rspec/mocks/* rspec/support rspec/support/* test/unit test/unit/* test/unit/*/* power_assert diff/lcs simplecov rake coverage delegate English erb etc fileutils forwardable io/console json monitor mutex_m open3 optparse ostruct pathname pp prettyprint rbconfig ripper securerandom set shellwords singleton stringio strscan tempfile time timeout tmpdir tsort weakref yaml",
    endings: "{.rb,.so}",
  },
  {
    tool: "perl",
    folders: ({ paths }) => [
      "",
      "lib/",
      "t/lib/",
      ...paths.flatMap((path) => /^.*?\/(?:lib|t\/lib)\/(?=.*\.pm$)/.exec(path)?.[0] ?? []),
    ],
    names:
      "B Carp Config Cwd Encode Exporter Exporter/Heavy Fcntl File/Basename File/Find File/Glob File/Path File/Spec File/Spec/Unix File/Temp Getopt/Long IO IO/File IO/Handle List/Util Math/BigInt POSIX PerlIO Scalar/Util SelectSaver Storable Sub/Util Symbol Text/ParseWords Tie/Hash Time/HiRes XSLoader DynaLoader base bytes constant feature lib mro overload overloading parent re strict threads threads/shared utf8 vars version warnings warnings/register Data/Dumper App/Prove App/Prove/* TAP/* TAP/Formatter/* TAP/Parser/* Test/Builder/* Test/Tester/* Test/Deep/* Test/Differences/*",
    endings: "{.pm,.pmc}",
  },
];

const ofPythonProject =
  /(?:^|\/)(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|noxfile\.py|manage\.py|requirements[^/]*\.txt)$/;

const isPythonTest = /(?:^|\/)(?:test[^/]*|[^/]+_tests?|conftest)\.py$/;
