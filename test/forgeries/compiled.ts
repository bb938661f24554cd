import { file, program, type Row } from "./forgery.ts";

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
  ["skip", "skipped tests", "sed -i 's/^\\tif Add/\\tt.Skip()\\n\\tif Add/' add_test.go"],
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
