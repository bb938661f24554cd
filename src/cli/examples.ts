/** Examples shown by `until-green <command> --help`. */
const examples: Readonly<Record<string, readonly string[]>> = {
  run: [
    "until-green run fix-tests --agent claude --max-cost-usd 5",
    'until-green run --until-bash "npm test" --agent claude',
    'until-green run fix-tests --agent "command:npx eslint --fix ."',
  ],
  resume: ["until-green resume", "until-green resume fix-tests-0a1b2c3d --more-iterations 3"],
  approve: ["until-green approve", "until-green approve fix-tests-0a1b2c3d looks good"],
  feedback: ["until-green feedback fix-tests-0a1b2c3d use a map instead"],
  reject: ["until-green reject fix-tests-0a1b2c3d too risky"],
  cancel: ["until-green cancel", "until-green cancel fix-tests-0a1b2c3d no longer needed"],
  tell: ["until-green tell fix keep the public names", "until-green tell fix-tests-0a1b2c3d fix use a map"],
  status: ["until-green status", "until-green status fix-tests --json"],
  list: ["until-green list", "until-green list --prune 30"],
  logs: ["until-green logs --iteration 2", "until-green logs --follow"],
  diff: ["until-green diff", "until-green diff 2", "until-green diff fix-tests-0a1b2c3d 1 3 --stat"],
  restore: ["until-green restore 2", "until-green restore 0", "until-green restore fix-tests-0a1b2c3d 2"],
  report: ["until-green report --format html --out report.html"],
  stats: ["until-green stats", "until-green stats --format html --out stats.html"],
  repair: ["until-green repair", "until-green repair fix-tests-0a1b2c3d"],
  check: ["until-green check", "until-green check fix-tests --format github"],
  plan: ["until-green plan fix-tests"],
  convert: ["until-green convert loops.yml --out .github/loops/fix.yml"],
  doctor: ["until-green doctor"],
  init: [
    "until-green init",
    "until-green init --job fix-main",
    "until-green init --dir packages/api --check 'make verify'",
  ],
  eval: ["until-green eval tasks.yml --agent claude --agent codex --repeat 3"],
  demo: ["until-green demo", "until-green demo --agent claude"],
};

export const examplesOf = (command: string): readonly string[] => examples[command] ?? [];
