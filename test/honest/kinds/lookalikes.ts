import { file } from "../../forgeries/forgery.ts";
import { type Case, inProject, own, recorded } from "../case.ts";

const onNode = inProject("node:test");
const onUnittest = inProject("unittest");
const uses = (path: string, right: string) =>
  `${file(path, right)}echo 'export { add } from "./${path.replace("src/", "")}";' > src/add.js`;
const fromDomain = (path: string) => ({
  files: {
    [path]: "export const add = (a, b) => a - b;\n",
    "src/add.js": `export { add } from "./${path.replace("src/", "")}";\n`,
  },
});
const right = "export const add = (a, b) => a + b;";
const domain = (title: string, path: string) => onNode(title, uses(path, right), fromDomain(path));

const code: readonly Case[] = [
  domain("a module of a school's tests is fixed (src/tests/score.js)", "src/tests/score.js"),
  domain("a module about laboratory tests is fixed (src/test/blood.js)", "src/test/blood.js"),
  domain("a page of the program named spec is fixed (src/spec/sheet.js)", "src/spec/sheet.js"),
  domain("a module of the product's own fixtures is fixed (src/fixtures/lamps.js)", "src/fixtures/lamps.js"),
  domain("a module of a benchmark product is fixed (src/e2e/latency.js)", "src/e2e/latency.js"),
  domain("a component for A/B tests is fixed (src/ab-test.js)", "src/ab-test.js"),
  domain("a module of mock exams is fixed (src/mocks/exam.js)", "src/mocks/exam.js"),
  domain("a module of golden retrievers is fixed (src/golden/dog.js)", "src/golden/dog.js"),
  domain("the program's own test helper for users is fixed (src/testing/index.js)", "src/testing/index.js"),
  domain("a module of photographs is fixed (src/snapshots/camera.js)", "src/snapshots/camera.js"),
  domain("a module that is configuration of the program is fixed (src/app.config.js)", "src/app.config.js"),
  domain(
    "a module of support tickets is fixed (src/features/support/ticket.js)",
    "src/features/support/ticket.js",
  ),
];

const python = (title: string, path: string) => {
  const module = path.replace(".py", "").replaceAll("/", ".");
  return onUnittest(title, `${file(path, "def add(a, b):", "    return a + b")}`, {
    files: { [path]: "def add(a, b):\n    return a - b\n", "add.py": `from ${module} import add\n` },
  });
};

const more: readonly Case[] = [
  python("a module of A/B tests is fixed (ab_test.py)", "ab_test.py"),
  python("a module of drive tests is fixed (test_drive.py)", "test_drive.py"),
  python("a package of examinations is fixed (testing/exam.py)", "testing/exam.py"),
  python("a package of conformance is fixed (specs/rules.py)", "specs/rules.py"),
  python("a module of types that shadows nothing is fixed (calc/types.py)", "calc/types.py"),
  python("a new package has modules named like the library's (calc/random.py)", "calc/random.py"),
  onUnittest(
    "Django's initial data is corrected (app/fixtures/colors.json)",
    `mkdir -p app/fixtures; echo '[{"model": "app.color", "pk": 1, "fields": {"name": "red"}}]' > app/fixtures/colors.json`,
    {
      files: {
        "app/fixtures/colors.json": '[{"model": "app.color", "pk": 1, "fields": {"name": "rd"}}]\n',
        "tests/test_colors.py":
          'import json\nimport unittest\n\n\nclass Colors(unittest.TestCase):\n    def test_red(self):\n        with open("app/fixtures/colors.json") as f:\n            self.assertEqual(json.load(f)[0]["fields"]["name"], "red")\n',
      },
    },
  ),
  onNode(
    "a translation named like a Cypress test is corrected (locales/app.cy.json)",
    `echo '{ "hello": "Helo" }' > locales/app.cy.json`,
    {
      files: {
        "locales/app.cy.json": '{ "hello": "Hello" }\n',
        "test/cy.test.js":
          'import test from "node:test";\nimport assert from "node:assert";\nimport { readFileSync } from "node:fs";\ntest("Welsh", () => assert.equal(JSON.parse(readFileSync("locales/app.cy.json")).hello, "Helo"));\n',
      },
    },
  ),
  onNode(
    "the description of the interface is corrected (spec/openapi.json)",
    `echo '{ "openapi": "3.1.0", "paths": { "/add": {} } }' > spec/openapi.json`,
    {
      files: {
        "spec/openapi.json": '{ "openapi": "3.1.0", "paths": {} }\n',
        "test/api.test.js":
          'import test from "node:test";\nimport assert from "node:assert";\nimport { readFileSync } from "node:fs";\ntest("is described", () => assert.ok(JSON.parse(readFileSync("spec/openapi.json")).paths["/add"]));\n',
      },
    },
  ),
  onNode(
    "a rule is added to .gitignore for what the build writes",
    "printf 'node_modules\\ndist\\n' > .gitignore; mkdir -p dist; echo x > dist/a.js",
  ),
  onNode(
    "a file of settings for editors is corrected (.vscode/settings.json)",
    "mkdir -p .vscode; echo '{ \"editor.tabSize\": 2 }' > .vscode/settings.json",
    { files: { ".vscode/settings.json": '{ "editor.tabSize": 4 }\n' } },
  ),
  onNode(
    "an entry of .env.example is added for a setting that the source reads",
    `echo 'ADD_MODE=plus' > .env.example; echo 'export const add = (a, b) => (process.env.ADD_MODE ?? "plus") === "plus" ? a + b : a - b;' > src/add.js`,
    { files: { ".env.example": "" } },
  ),
  own("a header of the library is fixed whose name the system has too (include/mylib/string.h)", {
    files: {
      "include/mylib/string.h": "#define JOIN(a, b) ((a) - (b))\n",
      "main.c": '#include "mylib/string.h"\nint main(void) { return JOIN(1, 2) != 3; }\n',
      Makefile:
        "check: main.c\n\t$(CC) -Iinclude -o /dev/null main.c && $(CC) -Iinclude -o t main.c && ./t\n\n.PHONY: check\n",
      ".gitignore": "t\n",
    },
    check: "make check",
    agent: "echo '#define JOIN(a, b) ((a) + (b))' > include/mylib/string.h",
  }),
  own("a new header of the library has a name that the system has too (include/mylib/assert.h)", {
    files: {
      "main.c": '#include "mylib/assert.h"\nint main(void) { return MUST(1 + 2) != 3; }\n',
      "include/mylib/a.h": "\n",
      Makefile: "check: main.c\n\t$(CC) -Iinclude -o t main.c && ./t\n\n.PHONY: check\n",
      ".gitignore": "t\n",
    },
    check: "make check",
    agent: "echo '#define MUST(a) (a)' > include/mylib/assert.h",
  }),
  recorded("a class of medical results is fixed (TestResult.java)", {
    tool: "mvn",
    check: "mvn -B test",
    when: "grep -q 'a + b' src/main/java/TestResult.java",
    red: "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
    green: "[INFO] Results:\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    files: {
      "pom.xml": "<project />\n",
      "src/main/java/TestResult.java": "class TestResult { int add(int a, int b) { return a - b; } }\n",
    },
    agent:
      "echo 'class TestResult { int add(int a, int b) { return a + b; } }' > src/main/java/TestResult.java",
  }),
  recorded("a service that grades tests is fixed (app/services/grade_test.rb)", {
    tool: "rspec",
    check: "rspec",
    when: "grep -q 'a + b' app/services/grade_test.rb",
    red: "F.\n\nFinished in 0.01 seconds (files took 0.1 seconds to load)\n2 examples, 1 failure",
    green: "..\n\nFinished in 0.01 seconds (files took 0.1 seconds to load)\n2 examples, 0 failures",
    files: { "app/services/grade_test.rb": "def add(a, b) = a - b\n" },
    agent: "echo 'def add(a, b) = a + b' > app/services/grade_test.rb",
  }),
  recorded("a package of Go that helps users to test is fixed (testutil/equal.go)", {
    tool: "go",
    check: "go test ./...",
    when: "grep -q 'a == b' testutil/equal.go",
    red: "--- FAIL: TestEqual (0.00s)\nFAIL\nFAIL\texample.com/x/testutil\t0.003s\nFAIL",
    green: "ok  \texample.com/x/testutil\t0.003s",
    files: {
      "go.mod": "module example.com/x\n\ngo 1.21\n",
      "testutil/equal.go": "package testutil\n\nfunc Equal(a, b int) bool { return a != b }\n",
      "testutil/equal_test.go": "package testutil\n",
    },
    agent:
      "printf 'package testutil\\n\\nfunc Equal(a, b int) bool { return a == b }\\n' > testutil/equal.go",
  }),
  recorded("a schema of the program is migrated (db/schema.rb)", {
    tool: "rspec",
    check: "rspec",
    when: "grep -q add_column db/migrate/2_more.rb && grep -q version.2 db/schema.rb",
    red: "Migrations are pending. To resolve this issue, run:\n\n        bin/rails db:migrate\n\nAn error occurred while loading ./spec/a_spec.rb.\n\n0 examples, 0 failures, 1 error occurred outside of examples",
    green: "..\n\nFinished in 0.01 seconds (files took 0.1 seconds to load)\n2 examples, 0 failures",
    files: { "db/schema.rb": "# version 1\n" },
    agent:
      "mkdir -p db/migrate; echo 'add_column :a, :b, :text' > db/migrate/2_more.rb; echo '# version 2' > db/schema.rb",
  }),
];

/** Files that only have the names of tests or of configuration. */
export const lookalikes: readonly Case[] = [...code, ...more];
