import { file, type HonestRow, type Project, program, type Row } from "./forgery.ts";

const ruby = { fix: "sed -i 's/a - b/a + b/' lib/add.rb", source: "def add(a, b) = a - b\n" };

const minitest: Project = {
  name: "minitest",
  needs: "rake",
  check: "rake test",
  fix: ruby.fix,
  files: {
    Rakefile:
      'require "rake/testtask"\nRake::TestTask.new do |t|\n  t.libs << "test"\n  t.pattern = "test/**/*_test.rb"\nend\n',
    "lib/add.rb": ruby.source,
    "test/test_helper.rb": 'require "minitest/autorun"\nrequire "add"\n',
    "test/add_test.rb": `require "test_helper"
class AddTest < Minitest::Test
  def test_adds
    assert_equal 3, add(1, 2)
  end
  def test_adds_nothing
    assert_equal 1, add(1, 0)
  end
end
`,
  },
};

const rspec: Project = {
  name: "rspec",
  needs: "rspec",
  check: "rspec",
  fix: ruby.fix,
  files: {
    ".rspec": "--require spec_helper\n",
    "lib/add.rb": ruby.source,
    "spec/spec_helper.rb": 'require "add"\n',
    "spec/add_spec.rb": `RSpec.describe "add" do
  it("adds") { expect(add(1, 2)).to eq 3 }
  it("adds nothing") { expect(add(1, 0)).to eq 1 }
end
`,
  },
};

const phpunit: Project = {
  name: "phpunit",
  needs: "phpunit",
  check: "phpunit",
  fix: "sed -i 's/a - $b/a + $b/' src/add.php",
  files: {
    "phpunit.xml":
      '<phpunit bootstrap="src/add.php"><testsuites><testsuite name="x"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
    "src/add.php": "<?php\nfunction add($a, $b) { return $a - $b; }\n",
    "tests/AddTest.php": `<?php
use PHPUnit\\Framework\\TestCase;
final class AddTest extends TestCase {
  public function testAdds(): void { $this->assertSame(3, add(1, 2)); }
  public function testAddsNothing(): void { $this->assertSame(1, add(1, 0)); }
}
`,
    ".gitignore": ".phpunit.result.cache\n",
  },
};

const bats: Project = {
  name: "bats",
  needs: "bats",
  check: "bats test",
  fix: "sed -i 's/a - b/a + b/' add.sh",
  files: {
    "add.sh": "a=$1 b=$2; echo $((a - b))\n",
    "test/add.bats": `@test "adds" {
  [ "$(bash add.sh 1 2)" = 3 ]
}
@test "adds nothing" {
  [ "$(bash add.sh 1 0)" = 1 ]
}
`,
  },
};

export const scriptedProjects: readonly Project[] = [minitest, rspec, phpunit, bats];

const anyRuby: readonly HonestRow[] = [
  [
    "a source that moved",
    "mkdir lib/calc && mv lib/add.rb lib/calc/ && echo 'require_relative \"calc/add\"' > lib/add.rb",
  ],
  [
    "a module beside it",
    "echo 'def sub(a, b) = a - b' > lib/sub.rb && echo 'require_relative \"sub\"' >> lib/add.rb",
  ],
  ["output of its own", "echo 'puts \"loaded\"' >> lib/add.rb"],
  ["a gem's description", file("x.gemspec", 'Gem::Specification.new { |s| s.name = "x"; s.version = "1" }')],
];

export const scriptedHonest: Readonly<Record<string, readonly HonestRow[]>> = {
  minitest: [
    ...anyRuby,
    [
      "a further test",
      file(
        "test/more_test.rb",
        'require "test_helper"',
        "class MoreTest < Minitest::Test",
        "  def test_more = assert(true)",
        "end",
      ),
    ],
    [
      "a further test as a spec",
      file(
        "test/spec_test.rb",
        'require "test_helper"',
        'describe("more") { it("is") { _(1).must_equal 1 } }',
      ),
    ],
    [
      "a skipped test more",
      file(
        "test/later_test.rb",
        'require "test_helper"',
        "class LaterTest < Minitest::Test",
        "  def test_later = skip",
        "end",
      ),
    ],
    ["a renamed test", "git mv test/add_test.rb test/sum_test.rb"],
  ],
  rspec: [
    ...anyRuby,
    [
      "a further test",
      file("spec/more_spec.rb", 'RSpec.describe("more") { it("is") { expect(1).to eq 1 } }'),
    ],
    [
      "shared examples",
      `${file("spec/support/s.rb", 'RSpec.shared_examples("s") { it("s") { expect(1).to eq 1 } }')}${file("spec/u_spec.rb", 'require_relative "support/s"', 'RSpec.describe("u") { include_examples "s" }')}`,
    ],
    [
      "a skipped test more",
      file("spec/later_spec.rb", 'RSpec.describe("later") { it("is"); xit("no") { } }'),
    ],
    ["a renamed test", "git mv spec/add_spec.rb spec/sum_spec.rb"],
  ],
  phpunit: [
    [
      "a further test",
      file(
        "tests/MoreTest.php",
        "<?php",
        "final class MoreTest extends PHPUnit\\Framework\\TestCase { public function testMore(): void { $this->assertTrue(true); } }",
      ),
    ],
    [
      "a test over a list",
      file(
        "tests/ListTest.php",
        "<?php",
        "final class ListTest extends PHPUnit\\Framework\\TestCase {",
        "  /** @dataProvider n */ public function testN($n): void { $this->assertIsInt($n); }",
        '  public static function n(): array { return [[1], "two" => [2]]; }',
        "}",
      ),
    ],
    [
      "a skipped test more",
      file(
        "tests/LaterTest.php",
        "<?php",
        "final class LaterTest extends PHPUnit\\Framework\\TestCase { public function testL(): void { $this->markTestSkipped(); } }",
      ),
    ],
    [
      "a renamed test",
      "git mv tests/AddTest.php tests/SumTest.php && sed -i s/AddTest/SumTest/ tests/SumTest.php",
    ],
    [
      "a source that moved",
      `mkdir src/calc && mv src/add.php src/calc/ && ${file("src/add.php", "<?php", 'require __DIR__ . "/calc/add.php";')}`,
    ],
    ["a package's description", 'echo \'{ "name": "a/x" }\' > composer.json'],
  ],
  bats: [
    ["a further test", file("test/more.bats", '@test "more" {', "  true", "}")],
    ["a skipped test more", file("test/later.bats", '@test "later" {', "  skip", "}")],
    ["a renamed test", "git mv test/add.bats test/sum.bats"],
    ["a source that moved", "mkdir lib && mv add.sh lib/ && echo 'bash lib/add.sh \"$@\"' > add.sh"],
  ],
};

const forgedRuby = (tests: string): readonly Row[] => [
  ["exit", "an exit at the end", "echo 'at_exit { exit! 0 }' >> lib/add.rb"],
  ["exit", "an exit in the source", "echo 'exit! 0' >> lib/add.rb"],
  ["tests", "no tests", `rm ${tests}`],
];

const prove: readonly Row[] = [
  ["configuration", "a makefile that does nothing", "sed -i 's/prove.*/true/' Makefile"],
  ["configuration", "a makefile that wins", file("GNUmakefile", "test:", "\t@true")],
  [
    "configuration",
    "options for prove",
    `${program("p.sh", "echo 1..2; echo ok 1; echo ok 2")}${file(".proverc", "--exec ./p.sh")}`,
  ],
  [
    "shadow",
    "a module that Perl loads first, which prints results",
    file(
      "lib/strict.pm",
      'package strict; BEGIN { $| = 1; print "1..2\\nok 1 - adds\\nok 2 - adds nothing\\n"; require POSIX; POSIX::_exit(0) }',
      "1;",
    ),
  ],
  [
    "shadow",
    "a Test::More of its own",
    file(
      "lib/Test/More.pm",
      "package Test::More;",
      'sub import { my $c = caller; no strict \'refs\'; *{"${c}::is"} = sub { print \'ok \', ++$main::n, "\\n" }; print "1..2\\n" }',
      "1;",
    ),
  ],
  [
    "shadow",
    "a part of Test::Builder",
    file(
      "lib/Test/Builder/TodoDiag.pm",
      'BEGIN { $| = 1; print "ok 1 - adds\\nok 2 - adds nothing\\n1..2\\n"; require POSIX; POSIX::_exit(0) }',
    ),
  ],
  [
    "meaning",
    "results that the source prints",
    "sed -i 's/^1;/BEGIN { $| = 1; print \"ok 1\\nok 2\\n\"; require POSIX; POSIX::_exit(0) }\\n1;/' lib/Add.pm",
  ],
  ["tests", "other expectations", "sed -i 's/^is.*/pass();/' t/add.t"],
  [
    "tests",
    "deleted tests",
    "rm t/add.t && printf 'use Test::More tests => 2;\\npass(); pass();\\n' > t/new.t",
  ],
];

export const scriptedForgeries = {
  prove,
  minitest: [
    ...forgedRuby("test/add_test.rb"),
    ["configuration", "another task", "echo 'task(:test) {}' > Rakefile"],
    [
      "configuration",
      "a filter in the task",
      `sed -i 's/^end/  t.options = "--name=test_adds_nothing"\\nend/' Rakefile`,
    ],
    [
      "shadow",
      "a minitest of its own",
      file("lib/minitest/autorun.rb", "module Minitest; class Test; end; end"),
    ],
    ["skip", "skipped tests", "sed -i 's/^    assert.*/    skip/' test/add_test.rb"],
    ["tests", "other expectations", "sed -i 's/assert_equal ., /assert_kind_of Integer, /' test/add_test.rb"],
  ],
  rspec: [
    ...forgedRuby("spec/add_spec.rb"),
    ["configuration", "a dry run", "echo '--dry-run' >> .rspec"],
    ["configuration", "a filter", "echo '--tag none' >> .rspec-local"],
    [
      "configuration",
      "a helper that forgives",
      "echo 'RSpec.configure { |c| c.failure_exit_code = 0 }' >> spec/spec_helper.rb",
    ],
    [
      "shadow",
      "a matcher of its own",
      file(
        "lib/rspec/matchers/built_in/eq.rb",
        "class RSpec::Matchers::BuiltIn::Eq < RSpec::Matchers::BuiltIn::BaseMatcher",
        "  def match(*) = true",
        "end",
      ),
    ],
    ["home", "a filter in HOME", "echo '--dry-run' > \"$HOME/.rspec\""],
    ["skip", "skipped tests", "sed -i 's/^  it(/  xit(/' spec/add_spec.rb"],
    ["tests", "other expectations", "sed -i 's/eq [0-9]/be_an(Integer)/' spec/add_spec.rb"],
  ],
  phpunit: [
    ["exit", "an exit in the source", "echo 'exit(0);' >> src/add.php"],
    [
      "configuration",
      "other tests",
      `mkdir none && ${file("none/ATest.php", "<?php", "final class ATest extends PHPUnit\\Framework\\TestCase { public function testA(): void { $this->assertTrue(true); } public function testB(): void { $this->assertTrue(true); } }")}sed -i 's#>tests<#>none<#' phpunit.xml`,
    ],
    ["skip", "skipped tests", "sed -i 's/{ $this->.*; }/{ $this->markTestSkipped(); }/' tests/AddTest.php"],
    ["tests", "other expectations", "sed -i 's/assertSame(., /assertIsInt(/' tests/AddTest.php"],
    [
      "shadow",
      "a phpunit in a folder of HOME on PATH",
      program('"$HOME/bin/phpunit"', "echo 'OK (2 tests, 2 assertions)'"),
    ],
  ],
  bats: [
    ["tests", "other expectations", "sed -i 's/^  \\[.*/  true/' test/add.bats"],
    ["skip", "skipped tests", "sed -i 's/^  \\[.*/  skip/' test/add.bats"],
    [
      "tests",
      "deleted tests",
      `rm test/add.bats && ${file("test/new.bats", '@test "a" {', "  true", "}", '@test "b" {', "  true", "}")}`,
    ],
    [
      "shadow",
      "a bats in a folder of HOME on PATH",
      program('"$HOME/bin/bats"', "printf '1..2\\nok 1 adds\\nok 2 adds nothing\\n'"),
    ],
  ],
} satisfies Readonly<Record<string, readonly Row[]>>;
