import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseShell } from "../../src/expressions/shell.ts";
import { endsSoon } from "../parts/ends-soon.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shell-text-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function bash(source: string, value: string) {
  const { script, variables } = parseShell(source).text;
  const env = Object.fromEntries(Object.keys(variables).map((name) => [name, value]));
  const options = {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: "/home/me", ...env },
    encoding: "utf8",
  } as const;
  return spawnSync("bash", ["-c", script], options);
}

const hostile = [
  "'; touch pwned; '",
  '"; touch pwned; "',
  "$(touch pwned)",
  "`touch pwned`",
  "a\n b \n\n",
  "$& $$ $1 ${HOME} $USER_MESSAGE",
  "* ? [a-z] ~ {a,b} !x",
  "\\ \\\\ \\n \\",
  "-n",
  "EOF\ntouch pwned\n",
  "a[$(touch pwned)]",
];

// `@@` stands for a reference; what the script prints is the value, with the text around it.
const places: readonly (
  | readonly [place: string, source: string]
  | readonly [place: string, source: string, printed: string]
)[] = [
  ["unquoted", "printf %s @@"],
  ["in double quotes", 'printf %s "@@"'],
  ["in single quotes", "printf %s '@@'"],
  ["in ANSI quotes", "printf %s $'\\t@@\\''", "\t@@'"],
  ["in locale quotes", 'printf %s $"@@"'],
  ["between other text", `printf %s 'a'@@"b"'@@'c"@@"`, "a@@b@@c@@"],
  ["in an assignment", 'x=@@; printf %s "$x"'],
  ["in a command substitution", 'printf %s "$(printf "%s." "@@")"', "@@."],
  ["in a command substitution, unquoted", 'printf %s "$(printf %s. @@)"', "@@."],
  ["in a command substitution, in single quotes", `printf %s "$(printf %s. '@@')"`, "@@."],
  ["in backticks", 'x=`printf %s. @@`; printf %s "$x"', "@@."],
  ["in backticks in double quotes", 'printf %s "`printf %s. "@@"`"', "@@."],
  ["in a default", 'printf %s "${none:-@@}"'],
  ["in a default, quoted again", 'printf %s "${none:-"@@"}"'],
  ["in an unquoted default", "printf %s ${none:-@@}"],
  ["in a heredoc", 'cat <<EOF\n"@@" \\$HOME $HOME\nEOF\n', '"@@" $HOME /home/me\n'],
  ["in a quoted heredoc", "cat <<'EOF'\n'@@' \\$HOME $HOME `x` \\\nEOF\n", "'@@' \\$HOME $HOME `x` \\\n"],
  ["in an indented quoted heredoc", 'cat <<-"THE END"\n\ta@@\n\tTHE END\nprintf z', "a@@\nz"],
  ["in two heredocs of a line", "cat <<A; cat <<\\B | cat\n@@\nA\n@@\nB\nprintf z", "@@\n@@\nz"],
  ["in a substitution in a heredoc", 'cat <<EOF\n$(printf %s. "@@")\nEOF', "@@.\n"],
  ["in a here-string", "cat <<< @@", "@@\n"],
  ["behind a comment with a quote", "# don't @@\nprintf %s @@"],
  ["in a function", "f() { printf %s \"$1\"; }; f '@@'"],
  ["in a case", 'printf %s "$(case @@ in zzz) echo no;; (y|*) printf %s. "@@";; esac)"', "@@."],
  ["in a group in a group", "((true); printf %s @@)"],
  ["in a script for another shell in double quotes", `sh -c "printf %s @@; printf %s '@@'"`, "@@@@"],
  ["in quotes in such a script", 'exec bash -ec "printf %s \\"x @@\\" # $HOME"', "x @@"],
  ["in a script for another shell", "bash -c 'printf %s \"@@\"; printf %s @@'", "@@@@"],
];

describe("a reference in a script", () => {
  test.each(places)("%s is its value byte for byte", (_, source, printed = "@@") => {
    for (const value of hostile) {
      const { stdout, stderr } = bash(
        source.replaceAll("@@", () => "$a.output"),
        value,
      );
      expect({ stdout, stderr }).toEqual({ stdout: printed.replaceAll("@@", () => value), stderr: "" });
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test.each([
    ["echo $(( $a.output + 1 ))", "5\n"],
    ['echo "$(( ($a.output)*2 ))"', "8\n"],
    ["echo $[ $a.output * 2 ]", "8\n"],
    ["(( $a.output > 3 )) && echo yes", "yes\n"],
    ["for ((i = 0; i < $a.output; i++)); do printf .; done", "...."],
    ["[[ $a.output -gt 3 ]] && echo yes", "yes\n"],
    ['[[ 3 -lt "$a.output" ]] && echo yes', "yes\n"],
    ["[ '$a.output' -eq 4 ] && echo yes", "yes\n"],
    ["x=(a b c d e); echo ${x[$a.output]}", "e\n"],
    ["x[$a.output]=y; echo ${x[4]}", "y\n"],
    ["x=abcdef; echo ${x:$a.output}", "ef\n"],
    ['let "n = $a.output + 1"; echo $n', "5\n"],
    ["let n=$a.output+1; echo $n", "5\n"],
  ])("is a number in %j, and never a command", (source, printed) => {
    expect(bash(source, "4").stdout).toBe(printed);
    for (const value of ["a[$(touch pwned)]", "x=1", "1;touch pwned", "HOME"]) bash(source, value);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("may be the key of an associative array", () => {
    expect(bash("declare -A m; m[$a.output]=v; echo ${m[$a.output]}", "some key").stdout).toBe("v\n");
  });
});

describe("the variables of a script", () => {
  test("are named after their references, each once", () => {
    const { text } = parseShell(
      "$USER_MESSAGE $a-b.output $a_b.output $a-b.output $a.output.n $INPUTS.x-y $LOOP_ITEM.id $LOOP_PREV.t.output",
    );
    expect(text.variables).toEqual({
      USER_MESSAGE: { ref: "value", name: "USER_MESSAGE" },
      UG_a_b_output: { ref: "output", node: "a-b" },
      UG_a_b_output_2: { ref: "output", node: "a_b" },
      UG_a_output_n: { ref: "output", node: "a", field: "n" },
      INPUTS_x_y: { ref: "input", name: "x-y" },
      LOOP_ITEM_id: { ref: "item", field: "id" },
      UG_PREV_t_output: { ref: "previous", node: "t" },
    });
  });

  test("have the position of each reference", () => {
    expect(parseShell("echo '$a.output' $ARGUMENTS").places.map(({ offset }) => offset)).toEqual([6, 17]);
  });

  test.each([
    'echo "$HOME" ${USER_MESSAGE} $1 $$ $? $ARGUMENTS_LIST \\$a.output "\\$USER_MESSAGE"',
    "awk '{ print $NF, $1 }' <<'EOF'\n$x `y` \\\nEOF\n",
    "# $a.output\necho a#b ${#x} $# <<<x 1<2",
  ])("are none where a script is bash's own business: %j", (source) => {
    expect(parseShell(source)).toEqual({ text: { script: source, variables: {} }, places: [] });
  });
});

describe("reading a script", () => {
  test.each([
    "$a.output ",
    "`$(\"${'",
    "((",
    "a[",
    '"$(',
    "case ",
    "<<'E'\n$x\n",
    " -gt ",
    "${a:",
    "bash -c '",
  ])("takes no longer than its length allows, with %j again and again", (piece) => {
    endsSoon(() => parseShell(piece.repeat(2 ** 19 / piece.length)));
  });

  test("leaves a script without references as it is, whatever it looks like", () => {
    const source = execFileSync(
      "bash",
      [
        "-c",
        'declare -f; printf %s "$1"',
        "x",
        'f() { echo "${x//"a"/\'b\'}" ; }; case x in a) : ;; esac; cat <<E\n`x`\nE\n',
      ],
      {
        encoding: "utf8",
      },
    );
    expect(parseShell(source).text.script).toBe(source);
  });
});
