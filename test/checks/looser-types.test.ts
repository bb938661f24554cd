import { expect, test } from "vitest";
import { silencingLines } from "../../src/checks/suspicious-lines.ts";

interface Change {
  readonly removed?: string;
  readonly added: string;
  readonly isNew?: boolean;
}

function looser(file: string, { removed = "", added, isNew = false }: Change): readonly string[] {
  const lines = (sign: string, text: string) =>
    text === "" ? "" : text.replaceAll(/^/gm, sign).concat("\n");
  const created = isNew ? "new file mode 100644\n" : "";
  const patch = `diff --git a/${file} b/${file}\n${created}--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n${lines("-", removed)}${lines("+", added)}`;
  return silencingLines(patch, ["tsc", "python linters"]).map(({ text }) => text);
}

test.each([
  ["add.py", "def add(a: int) -> str:", "def add(a: int) -> Any:"],
  ["add.py", "    async def add(self, a: str) -> int:", "    async def add(self, a: typing.Any) -> int:"],
  ["add.py", "x = add(1)", "x: Any = add(1)"],
  ["add.py", ") -> dict[str, int]:", ") -> dict[str, Any]:"],
  ["add.py", "    value: str,", "    value: Any,"],
  // mypy does not check functions without types.
  ["add.py", "def add(a: int, b: int) -> str:", "def add(a, b):"],
  ["src/add.ts", "export const add = (a: number): string => a;", "export const add = (a: any): string => a;"],
  ["src/add.ts", "  total: number;", "  total: any;"],
  ["src/add.ts", "function all(): string[] {", "function all(): any[] {"],
])("in %s, a looser type is shown: %s becomes %s", (file, removed, added) => {
  expect(looser(file, { removed, added })).toEqual([added.trim()]);
});

test.each([
  ["add.py", "def add(a: int) -> str:", "def add(a: int) -> int:"],
  ["add.py", "def add(a: Any) -> str:", "def add(a: Any, b: int) -> str:"],
  ["add.py", "def add(a):", "def add(a, b):"],
  ["add.py", "def first(a: int) -> int:", "def load(**options: Any) -> dict[str, Any]:"],
  ["add.py", "    return add(a)", "    return Any"],
  ["src/add.ts", "export const add = (a: any) => a;", "export const add = (a: any, b: number) => a;"],
  ["src/add.ts", "const x = 1; // one", "const x = 1; // any number"],
  ["src/add.js", "const x = y;", "const x: any = y;"],
])("in %s, an equal type is not: %s becomes %s", (file, removed, added) => {
  expect(looser(file, { removed, added })).toEqual([]);
});

test("a new stub is shown: type checkers read it instead of the code", () => {
  const added = "def add(a: int) -> int: ...\n";
  expect(looser("src/add.pyi", { added, isNew: true })).toEqual([added.trim()]);
  expect(looser("src/add.pyi", { added })).toEqual([]);
  for (const folder of ["typings", "lib/stubs", "yaml-stubs"])
    expect(looser(`${folder}/yaml.pyi`, { added, isNew: true })).toEqual([]);
});
