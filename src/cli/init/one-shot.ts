/**
 * The command of an npm script, changed so that it runs the tests once, for bash; `undefined` if the script does that
 * already, or does more than start test tools. `bin` starts a program of an installed package, such as `npx`.
 */
export function oneShot(script: string, bin: string): string | undefined {
  const parts = script.split("&&").map((part) => part.trim());
  if (!parts.some(watches) || /[|;<>$`()&]/.test(parts.join(" "))) return undefined;
  return parts.map((part) => started(once(part), bin)).join(" && ");
}

/** Whether a command keeps running after its tests, and waits for changes. */
const watches = (command: string): boolean => once(command) !== plain(command);

/** Without the program that only sets variables, and with single spaces. */
const plain = (command: string) =>
  command
    .replace(/\bcross-env\s+/, "")
    .replace(/\s+/g, " ")
    .trim();

function once(command: string): string {
  const restarted = /^((?:\w+=\S+ )*)nodemon\b.*? (?:--exec|-x)[ =](?:"([^"]+)"|'([^']+)'|(.+))$/.exec(
    plain(command),
  );
  const [, variables = "", ...inner] = restarted ?? [];
  const own = variables + (inner.find((one) => one !== undefined) ?? plain(command));
  for (const [tool, change] of tools) if (tool.test(own)) return change(own);
  return own;
}

const withoutWatch = (command: string) =>
  command.replace(/ (?:--watch(?:-?[aA]ll)?(?:=true)?|watch)(?= |$)/g, "");

/** Tools that watch with an option, or unless an option says otherwise. */
const tools: readonly (readonly [tool: RegExp, change: (command: string) => string])[] = [
  [
    /(?:^| )vitest(?: |$)/,
    (command) =>
      / (?:run|list|bench|related|--run|--watch=false)(?: |$)/.test(command)
        ? command
        : withoutWatch(command)
            .replace(/ (?:dev|-w)(?= |$)/g, "")
            .replace(/(^| )vitest(?= |$)/, "$1vitest run"),
  ],
  [
    /(?:^| )ng test\b/,
    (command) => (/--(?:no-)?watch\b/.test(command) ? withFalse(command) : `${command} --watch=false`),
  ],
  [
    /(?:^| )karma start\b/,
    (command) => (/--single-run\b/.test(command) ? command : `${withoutWatch(command)} --single-run`),
  ],
  [/(?:^| )_?mocha(?: |$)/, (command) => withoutWatch(command).replace(/ -w(?= |$)/g, "")],
  [/(?:^| )(?:jest|ava|tap|jasmine|uvu|wtr|web-test-runner|node|tsx|bun|react-scripts)(?: |$)/, withoutWatch],
];

const withFalse = (command: string) => command.replace(/ --watch(?:=true)?(?= |$)/, " --watch=false");

/** With what starts the program of a package, behind the variables; bash finds the others. */
const started = (command: string, bin: string) =>
  command.replace(
    /^((?:\w+=\S+ )*)(?!(?:npm|npx|pnpm|yarn|bun|bunx|node|deno|echo|cd|bash|sh|make|true|test) |\.|\/)(?=\S)/,
    `$1${bin} `,
  );
