// Prints the Node that runs the tests, and stops if it is too old; plain JavaScript, so that an old Node can run it.
const { version } = process;
console.log(`Node ${version}`);
if (Number.parseInt(version.slice(1), 10) < 24) {
  console.error("The tests need Node 24 or newer: `npm ci` brings one on Linux, elsewhere install it.");
  process.exitCode = 1;
}
