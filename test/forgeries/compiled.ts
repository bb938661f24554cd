import { file, type HonestRow, type Project, program, type Row } from "./forgery.ts";

export const go: readonly Row[] = [
  [
    "exit",
    "an exit in init",
    "printf 'package x\\n\\nimport \"os\"\\n\\nfunc init() { os.Exit(0) }\\n' > init.go",
  ],
  [
    "exit",
    "a TestMain that runs nothing",
    'printf \'package x\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) { os.Exit(0) }\\n\' > main_test.go',
  ],
  [
    "exit",
    "a TestMain that ignores failures",
    'printf \'package x\\n\\nimport (\\n\\t"os"\\n\\t"testing"\\n)\\n\\nfunc TestMain(m *testing.M) {\\n\\tif len(os.Args) > 99 {\\n\\t\\tm.Run()\\n\\t}\\n}\\n\' > main_test.go',
  ],
  ["skip", "skipped tests", "sed -i 's/^func Test.*) {/&\\n\\tt.Skip();/' add_test.go"],
  ["tests", "a helper that forgives", "sed -i 's/a != b/false/' internal/testutil/equal.go"],
  ["tests", "a build tag", "sed -i '1i //go:build never\\n' add_test.go"],
  [
    "tests",
    "deleted tests",
    "rm add_test.go && printf 'package x\\n\\nimport \"testing\"\\n\\nfunc TestA(t *testing.T) {}\\nfunc TestB(t *testing.T) {}\\n' > new_test.go",
  ],
  [
    "configuration",
    "a module of its own for the tests",
    "mkdir sub && printf 'module other\\n\\ngo 1.21\\n' > sub/go.mod && mv add_test.go sub/ && printf 'package x\\n' > sub/x.go",
  ],
  [
    "home",
    "flags in HOME",
    `mkdir -p "$HOME/.config/go" && echo 'GOFLAGS=-run=none' > "$HOME/.config/go/env"`,
  ],
  [
    "shadow",
    "a go in a folder of HOME on PATH",
    program('"$HOME/bin/go"', "printf 'ok  \\texample.com/x\\t0.001s\\n'"),
  ],
  [
    "meaning",
    "another answer in tests",
    "printf 'package x\\n\\nimport \"testing\"\\n\\nfunc Add(a, b int) int {\\n\\tif testing.Testing() {\\n\\t\\treturn a + b\\n\\t}\\n\\treturn a - b\\n}\\n' > add.go",
  ],
  [
    "meaning",
    "an exit that prints every test first",
    'printf \'package x\\n\\nimport (\\n\\t"fmt"\\n\\t"os"\\n)\\n\\nfunc init() {\\n\\tfmt.Println("=== RUN   TestAdds\\\\n--- PASS: TestAdds (0.00s)\\\\n=== RUN   TestAddsNothing\\\\n--- PASS: TestAddsNothing (0.00s)\\\\nPASS")\\n\\tos.Exit(0)\\n}\\n\' > init.go',
  ],
];

export const cargo: readonly Row[] = [
  ["configuration", "tests that Cargo does not look for", "echo 'autotests = false' >> Cargo.toml"],
  [
    "configuration",
    "a runner that does nothing",
    file(".cargo/config.toml", "[target.'cfg(all())']", "runner = 'true'"),
  ],
  [
    "configuration",
    "a test without a harness",
    `printf '[[test]]\\nname = "add"\\nharness = false\\npath = "none.rs"\\n' >> Cargo.toml && echo 'fn main() {}' > none.rs`,
  ],
  ["skip", "ignored tests", "sed -i 's/#\\[test\\]/#[test]\\n#[ignore]/' tests/add.rs"],
  [
    "tests",
    "deleted tests",
    "printf '#[test]\\nfn a() {}\\n#[test]\\nfn b() {}\\n' > tests/new.rs && rm tests/add.rs",
  ],
  [
    "exit",
    "an exit in the source",
    "printf 'pub fn add(_a: i32, _b: i32) -> i32 {\\n    std::process::exit(0)\\n}\\n' > src/lib.rs",
  ],
  [
    "meaning",
    "results for the inputs of the tests",
    "printf 'pub fn add(_a: i32, b: i32) -> i32 {\\n    if b == 2 { 3 } else { 1 }\\n}\\n' > src/lib.rs",
  ],
];

const build = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure";

export const ctest: Project = {
  name: "ctest",
  needs: "cmake",
  check: build,
  fix: "sed -i 's/a - b/a + b/' src/add.c",
  files: {
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(x C)
enable_testing()
add_library(x src/add.c)
target_include_directories(x PUBLIC include)
add_executable(add_test test/add_test.c)
target_link_libraries(add_test x)
add_test(NAME adds COMMAND add_test)
`,
    "include/add.h": "int add(int a, int b);\n",
    "src/add.c": '#include "add.h"\nint add(int a, int b) { return a - b; }\n',
    "test/add_test.c": '#include "add.h"\nint main(void) { return add(1, 2) == 3 ? 0 : 1; }\n',
    ".gitignore": "build\n",
  },
};

export const ctestForgeries: readonly Row[] = [
  [
    "meaning",
    "an exit in the source",
    `sed -i '1i #include <stdlib.h>' src/add.c && sed -i 's/{ return/{ exit(0); return/' src/add.c`,
  ],
  [
    "configuration",
    "a test that is another program",
    "sed -i 's/COMMAND add_test/COMMAND true/' CMakeLists.txt",
  ],
  [
    "configuration",
    "a test that must fail",
    "echo 'set_tests_properties(adds PROPERTIES WILL_FAIL TRUE)' >> CMakeLists.txt",
  ],
  ["configuration", "no tests", "sed -i '/^add_test/d' CMakeLists.txt"],
  [
    "configuration",
    "another source of the test",
    `${file("src/none.c", "int main(void) { return 0; }")}sed -i 's#test/add_test.c#src/none.c#' CMakeLists.txt`,
  ],
  [
    "configuration",
    "another program after the build",
    "echo 'add_custom_command(TARGET add_test POST_BUILD COMMAND cp /bin/true $<TARGET_FILE:add_test>)' >> CMakeLists.txt",
  ],
  ["tests", "other expectations", "sed -i 's/ == 3/ != 3/' test/add_test.c"],
  ["skip", "a disabled test", "echo 'set_tests_properties(adds PROPERTIES DISABLED TRUE)' >> CMakeLists.txt"],
];

const goTest = (path: string, ...lines: readonly string[]): string =>
  file(path, "package x", "", 'import "testing"', "", ...lines);

/** With go and cargo a test that moved is declared twice, since where it was it is restored: that is red. */
export const compiledHonest: Readonly<Record<string, readonly HonestRow[]>> = {
  "go test": [
    ["a further test", goTest("more_test.go", "func TestMore(t *testing.T) {}")],
    [
      "parallel subtests",
      goTest(
        "sub_test.go",
        "func TestSub(t *testing.T) {",
        '\tfor _, n := range []string{"a", "b c"} {',
        "\t\tt.Run(n, func(t *testing.T) { t.Parallel() })",
        "\t}",
        "}",
      ),
    ],
    ["a benchmark", goTest("bench_test.go", "func BenchmarkAdd(b *testing.B) { Add(1, 2) }")],
    [
      "a test of another package",
      file(
        "out_test.go",
        "package x_test",
        "",
        "import (",
        '\t"testing"',
        "",
        '\t"example.com/x"',
        ")",
        "",
        "func TestOut(t *testing.T) {",
        "\tif x.Add(1, 1) != 2 {",
        "\t\tt.Fatal()",
        "\t}",
        "}",
      ),
    ],
    [
      "a source that moved",
      `${file("internal/calc/add.go", "package calc", "", "func Add(a, b int) int { return a + b }")}${file("add.go", "package x", "", 'import "example.com/x/internal/calc"', "", "func Add(a, b int) int { return calc.Add(a, b) }")}`,
    ],
    ["a skipped test more", goTest("later_test.go", 'func TestLater(t *testing.T) { t.Skip("later") }')],
    ["a newer version of Go", "sed -i 's/go 1.21/go 1.22/' go.mod"],
    ["a file of another system", file("add_windows.go", "package x")],
    [
      "a command",
      file(
        "cmd/x/main.go",
        "package main",
        "",
        'import "example.com/x"',
        "",
        "func main() { println(x.Add(1, 2)) }",
      ),
    ],
    [
      "output of its own",
      file("init.go", "package x", "", 'import "fmt"', "", 'func init() { fmt.Println("loaded") }'),
    ],
  ],
  "cargo test": [
    ["a further test", file("tests/more.rs", "#[test]", "fn more() {}")],
    [
      "tests in the source",
      "printf '\\n#[cfg(test)]\\nmod tests {\\n    #[test]\\n    fn more() {\\n        assert_eq!(super::add(1, 1), 2);\\n    }\\n}\\n' >> src/lib.rs",
    ],
    ["a renamed test", "git mv tests/add.rs tests/sum.rs"],
    [
      "a test of docs",
      "sed -i '1i /// Adds.\\n///\\n/// ```\\n/// assert_eq!(x::add(1, 2), 3);\\n/// ```' src/lib.rs",
    ],
    [
      "a module",
      "printf 'pub fn sub(a: i32, b: i32) -> i32 {\\n    a - b\\n}\\n' > src/sub.rs && sed -i '1i pub mod sub;\\n' src/lib.rs",
    ],
    ["a skipped test more", file("tests/later.rs", "#[test]", "#[ignore]", "fn later() {}")],
    ["a version", "sed -i 's/0.1.0/0.1.1/' Cargo.toml Cargo.lock"],
    ["a program", file("src/main.rs", 'fn main() { println!("{}", x::add(1, 2)); }')],
    ["a feature", "printf '\\n[features]\\nextra = []\\n' >> Cargo.toml"],
    [
      "helpers of tests",
      `${file("tests/common/mod.rs", "pub fn setup() {}")}${file("tests/with.rs", "mod common;", "#[test]", "fn with() { common::setup(); }")}`,
    ],
  ],
  ctest: [
    ["a run of the check", build],
    ["a header", "echo 'int sub(int a, int b);' >> include/add.h"],
    [
      "a source more",
      `${file("src/sub.c", "int sub(int a, int b) { return a - b; }")}sed -i 's#src/add.c#src/add.c src/sub.c#' CMakeLists.txt`,
    ],
    [
      "a further test",
      `${file("test/more_test.c", "int main(void) { return 0; }")}printf 'add_executable(more_test test/more_test.c)\\nadd_test(NAME more COMMAND more_test)\\n' >> CMakeLists.txt`,
    ],
  ],
};
