// Says which Node runs the tests, and stops where it is too old for them; plain JavaScript, so that an old one reads it.
const { version } = process;
console.log(`Node ${version}`);
if (Number.parseInt(version.slice(1), 10) < 24) {
  console.error("The tests need Node 24 or newer: `npm ci` brings one on Linux, elsewhere install it.");
  process.exitCode = 1;
}
