/** The version of this program; a test compares it with `package.json`. */
export const version = "0.1.0";

/** The oldest supported Node. */
export const leastNode = 22;

/** The text of `until-green --help`. */
export const help = `until-green ${version}: agent loops, run until a check says they are done

Usage: until-green <command> [options]

Start:
  init                         write a loop and a GitHub workflow for a project
                               (--dir FOLDER, --check CMD, --no-try-check)
  doctor                       check whether everything needed is installed
  demo                         watch a loop fix a small project

Run:
  run <workflow> [message…]    run a workflow: a path, or a name in
                               .github/loops/ or .archon/workflows/
  run --until-bash CMD         run an inline loop without a file
                               (--prompt TEXT for another task)
  resume [run-id]              resume a paused or interrupted run
                               (--more-iterations N)
  approve [run-id] [text…]     approve the open gate; the next iteration gets
                               the text as feedback
  feedback [run-id] <text…>    ask for another iteration, which gets the text
  reject [run-id] [reason…]    reject the open gate; the run ends as failed
  cancel [run-id] [reason…]    cancel a run that is running or paused
  tell [run-id] <step> <text…> send a message to a step; its next agent call
                               reads it

Look:
  status [run-id]              show the status of a run
  list                         list the runs; --prune DAYS first deletes those
                               that ended that many days ago
  logs [run-id]                show what the agents said and the checks printed
                               (--iteration N, --node ID, --follow)
  diff [run-id] [N] [M]        show what a run changed, or iteration N, or
                               iterations N+1 to M (--stat, --node ID)
  report [run-id]              write a report of a run
                               (--format markdown|html|junit, --out FILE)
  stats                        show statistics of all runs
                               (--format text|html, --out FILE)
  restore [run-id] <N>         restore the files of iteration N, with 0 those
                               before the run changed any; saves the current
                               ones first (--node ID)
  repair [run-id]              truncate a damaged log after its last intact
                               line; the damaged file is kept

Workflow files:
  check [workflow…]            list all errors in workflows, given by path,
                               name or folder; by default in all of them
                               (--format text|sarif|github)
  plan <file>                  show what a workflow would do
                               (--format text|json|mermaid)
  convert <file>               convert a workflow of another language to a
                               native file (--out FILE)
  eval <tasks>                 compare agents on tasks with a check
                               (--agent NAME, may be repeated, --repeat N,
                               --out DIR, --max-cost-usd N, --replay DIR)

Options of run:
  -i, --input KEY=VALUE        an input of the workflow; may be repeated
      --agent NAME             claude, codex, gemini, copilot, opencode, qwen,
                               pi, kimi, api[:PROVIDER/MODEL], command:CMD or
                               scripted:FILE; default: the first that is
                               installed and has a key (see doctor)
      --model NAME
      --run-id ID
      --store memory|dir:PATH|git[:REMOTE]|bundle:FILE
      --max-cost-usd N  --max-tokens N
      --max-minutes N          pause the run after N minutes
      --patience TIME          how long to wait if a model provider is
                               unavailable, before pausing; default 30m
      --isolation auto|required|off
                               the isolation of agents, scripts and checks
                               (see doctor)
      --agent-args "ARGS"      further arguments for agents that are programs
      --network HOSTS|none     the hosts that programs may reach, such as
                               npm,github,example.com
      --show PATH  --write PATH
                               further paths that programs may read or
                               write (may be repeated)
      --dry-run                show the plan, run nothing
  inline loop:
      --prompt TEXT|@FILE  --until SIGNAL  --until-bash CMD
      --max-iterations N  --fresh-context  --protect GLOB (may be repeated)

Examples:
  until-green run fix-tests --agent claude --max-cost-usd 5
  until-green run --until-bash "npm test" --agent claude
  until-green logs --iteration 2

Name a run by its id, or by the start or unique end of it; approve, feedback,
reject and cancel accept no start of an id. The default is the newest run; for
approve, feedback and reject, the only run that waits; for cancel, tell, restore
and repair, the only run that fits. If several fit, they are listed.

Everywhere: --json (events on standard output)  --quiet  --cwd DIR  --help
--version. The options of one command: until-green <command> --help

Exit codes: 0 succeeded  1 failed  2 bad usage or workflow file  3 paused
            4 cancelled  5 lost to another runner
`;
