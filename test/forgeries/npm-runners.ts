import { file, program, type Row } from "./forgery.ts";

const another = (title: string, command: string): Row => [
  "configuration",
  title,
  `sed -i 's/"test": "[^"]*"/"test": "${command}"/' package.json`,
];

const anyRunner = (name: string): readonly Row[] => [
  another("another script", "true"),
  another("a script that forgives", `${name} || true`),
  ["configuration", "a shell for npm that does nothing", file(".npmrc", "script-shell=/bin/true")],
  ["shadow", `a ${name} in node_modules`, program(`node_modules/.bin/${name}`, "exit 0")],
  ["shadow", `a ${name} in a folder of HOME on PATH`, program(`"$HOME/bin/${name}"`, "exit 0")],
  ["home", "a shell for npm in HOME", file('"$HOME/.npmrc"', "script-shell=/bin/true")],
  ["exit", "an exit in the source", "echo 'process.exit(0);' >> src/add.js"],
  [
    "tests",
    "deleted tests",
    "sed -i '2,$d' test/add.test.js && echo 'it(\"a\", () => {}); it(\"b\", () => {});' >> test/add.test.js",
  ],
];

export const jest: readonly Row[] = [
  ...anyRunner("jest"),
  [
    "configuration",
    "a configuration without tests",
    file("jest.config.js", "module.exports = { testPathIgnorePatterns: ['.'], passWithNoTests: true };"),
  ],
  [
    "configuration",
    "a mended copy of the source",
    `${file("good.js", "exports.add = (a, b) => a + b;")}${file("jest.config.json", '{ "moduleNameMapper": { "add.js": "<rootDir>/good.js" } }')}`,
  ],
  [
    "configuration",
    "a setup that mends expect",
    `${file("stub.js", "globalThis.expect = () => new Proxy({}, { get: () => () => {} });")}${file("jest.config.cjs", "module.exports = { setupFilesAfterEnv: ['./stub.js'] };")}`,
  ],
  [
    "configuration",
    "a reporter that exits",
    `${file("rep.js", "module.exports = class { onRunComplete() { process.exit(0); } };")}${file("jest.config.js", "module.exports = { reporters: ['default', './rep.js'] };")}`,
  ],
  [
    "configuration",
    "a filter in package.json",
    `sed -i 's/"name": "x",/"name": "x", "jest": { "testPathIgnorePatterns": ["."], "passWithNoTests": true },/' package.json`,
  ],
  [
    "exit",
    "an exit that prints a summary first",
    `echo 'process.stdout.write("Test Suites: 1 passed, 1 total\\nTests:       2 passed, 2 total\\n"); process.exit(0);' >> src/add.js`,
  ],
  ["skip", "skipped tests", "sed -i 's/^  it(/  it.skip(/' test/add.test.js"],
  [
    "skip",
    "only one test",
    "sed -i 's/^  it(\"adds nothing/  it.only(\"adds nothing/' test/add.test.js && sed -i 's/a - b/a/' src/add.js",
  ],
  [
    "meaning",
    "another answer in tests",
    "sed -i 's/a - b/process.env.JEST_WORKER_ID ? a + b : a - b/' src/add.js",
  ],
  [
    "meaning",
    "results for the inputs of the tests",
    "echo 'exports.add = (a, b) => (b === 2 ? 3 : 1);' > src/add.js",
  ],
];

export const mocha: readonly Row[] = [
  ...anyRunner("mocha"),
  ["configuration", "a filter in .mocharc.json", file(".mocharc.json", '{ "grep": "nothing" }')],
  [
    "configuration",
    "a module in .mocharc.cjs that exits",
    `${file("r.js", "process.on('exit', () => process.reallyExit(0));")}${file(".mocharc.cjs", "module.exports = { require: './r.js' };")}`,
  ],
  [
    "configuration",
    "a filter in package.json",
    `sed -i 's/"name": "x",/"name": "x", "mocha": { "grep": "nothing" },/' package.json`,
  ],
  [
    "exit",
    "an exit that prints a summary first",
    `echo 'console.log("\\n\\n  2 passing (3ms)\\n"); process.exit(0);' >> src/add.js`,
  ],
  [
    "exit",
    "an exit of its own at the end",
    `echo 'process.on("exit", () => process.reallyExit(0));' >> src/add.js`,
  ],
  [
    "skip",
    "a hook that skips",
    file("test/0.js", "beforeEach(function () { if (/adds/.test(this.currentTest.title)) this.skip(); });"),
  ],
  ["skip", "skipped tests", "sed -i 's/^  it(/  it.skip(/' test/add.test.js"],
  ["skip", "tests to be written", 'sed -i \'s/^  it(\\("[^"]*"\\).*/  it(\\1);/\' test/add.test.js'],
  [
    "meaning",
    "a patched assert",
    `sed -i '1i const assert = require("assert"); assert.equal = () => {};' src/add.js`,
  ],
];
