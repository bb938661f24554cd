/** The version of this program; `package.json` says the same, which a test holds it to. */
export const version = "0.1.0";

/** The oldest Node it runs on. */
export const leastNode = 22;

/** What `until-green --help` prints. */
export const help = `until-green ${version}: agent loops, run until a check says they are done

Usage: until-green <command> [options]

  run <workflow> [message…]        run a workflow: a path, or a name in .github/loops/ or .archon/workflows/
  run --prompt TEXT --until-bash CMD
                                   run an inline loop without a file
  resume [run-id]                  go on with a paused or interrupted run
  approve [run-id] [text…]         approve the open gate, with feedback for the next iteration
  reject [run-id] [reason…]        reject it; the run ends as failed
  cancel [run-id]                  end a run wherever it stands
  tell <run-id> <step> <text…>     put a message into a step's inbox
  status [run-id]                  how a run stands
  list                             the runs kept here; --prune DAYS deletes what ended so long ago
  stats                            figures over all runs kept here (--format text|html, --out FILE)
  repair <run-id>                  cut a damaged log to its last whole line, keeping the damaged file
  check [workflow…]                diagnostics of workflows, named by path, name or folder; of all if none is named
                                   (--format text|sarif|github)
  plan <file>                      what a workflow would do (--format text|json|mermaid)
  convert <file>                   a workflow of any language as a native file (--out FILE)
  logs [run-id]                    what a run's agents said and its checks printed
                                   (--iteration N, --node ID, --follow)
  diff [run-id] [N] [M]            what a run changed, or iteration N, or those after N up to M (--stat, --node ID)
  restore <run-id> <N>             the files as they were after iteration N; what was there is kept (--node ID)
  report [run-id]                  a report of a run (--format markdown|html|junit, --out FILE)
  init                             write a loop and a GitHub workflow that fit this project
                                   (--dir FOLDER, --check CMD, --no-try-check)
  doctor                           check whether this machine has everything needed
  eval <tasks>                     compare agents on tasks with a check (--agent NAME, may be repeated,
                                   --repeat N, --out DIR, --max-cost-usd N, --replay DIR)
  demo                             watch a loop fix a small project

Run options:
  -i, --input KEY=VALUE            an input of the workflow; may be repeated
      --agent NAME                 who works: claude, codex, gemini, copilot, opencode, qwen, pi,
                                   api[:PROVIDER/MODEL], command:CMD, scripted:FILE;
                                   else the first that is here with a key (see doctor)
      --model NAME
      --run-id ID
      --store memory|dir:PATH|git[:REMOTE]|bundle:FILE
      --max-cost-usd N  --max-tokens N
      --max-minutes N              pause the run after N minutes; resume goes on
      --patience TIME              wait so long for a provider in trouble, then pause; 30m
      --isolation auto|required|off  the walls around agents, scripts and checks (see doctor)
      --agent-args "ARGS"          further arguments for agents that are programs
      --network HOSTS|none         the hosts that programs may reach, such as npm,github,example.com
      --dry-run                    show the plan, run nothing
  inline loop:
      --prompt TEXT|@FILE  --until SIGNAL  --until-bash CMD  --max-iterations N
      --fresh-context  --protect GLOB (may be repeated)

A run is named by its id or by a prefix no other run has. Without one it is the newest run, for an
answer the only one that waits.

Everywhere: --json (events on standard output)  --quiet  --cwd DIR  --help  --version

Exit codes: 0 succeeded  1 failed  2 bad usage or workflow file  3 paused  4 cancelled  5 lost to another runner
`;
