import{createRequire as e}from"node:module";let t;const n=()=>t??=e(import.meta.url)(`node:fs`),r=(...e)=>n().accessSync(...e),i=(...e)=>n().appendFileSync(...e),a=(...e)=>n().chmodSync(...e),o=(...e)=>n().closeSync(...e),s=(...e)=>n().copyFileSync(...e),c=(...e)=>n().cpSync(...e),l=(...e)=>n().createReadStream(...e),u=(...e)=>n().createWriteStream(...e),d=(...e)=>n().existsSync(...e),f=(...e)=>n().fdatasync(...e),p=(...e)=>n().fstatSync(...e),m=(...e)=>n().fsyncSync(...e),h=(...e)=>n().ftruncateSync(...e),g=(...e)=>n().globSync(...e),_=(...e)=>n().linkSync(...e),v=(...e)=>n().lstatSync(...e),y=(...e)=>n().lutimesSync(...e),b=(...e)=>n().mkdirSync(...e),x=(...e)=>n().mkdtempSync(...e),S=(...e)=>n().openSync(...e),C=(...e)=>n().readFileSync(...e),w=(...e)=>n().readSync(...e),T=(...e)=>n().readdirSync(...e),E=(...e)=>n().readlinkSync(...e),D=(...e)=>n().renameSync(...e),O=(...e)=>n().rmSync(...e),k=(...e)=>n().rmdirSync(...e),A=(...e)=>n().statSync(...e),j=(...e)=>n().statfsSync(...e),M=(...e)=>n().symlinkSync(...e),N=(...e)=>n().truncateSync(...e),ee=(...e)=>n().unlinkSync(...e),P=(...e)=>n().watch(...e),F=(...e)=>n().writeFileSync(...e),I=(...e)=>n().writeSync(...e),L=e(import.meta.url)(`node:process`).argv,R=e(import.meta.url)(`node:process`).env,z=e=>/^[\w./:@%+=-]+$/.test(e)?e:`'${e.replaceAll(`'`,`'\\''`)}'`;function B(e){let t=e.replaceAll(U,``),n=V();return n===`until-green`?t:t.replace(W,()=>`${n} `)}function V(){let e=/^(.*)\/node_modules\/\.bin\//.exec(L[1]??``)?.[1];return e===void 0?R.npm_command===`run`&&R.npm_package_name===`until-green`?`npm run until-green --`:`until-green`:`npx ${H(e)}`}function H(e){if(!/\/_npx\/[^/]+$/.test(e))return`until-green`;try{let{packages:t}=JSON.parse(C(`${e}/package.json`,`utf8`))._npx;return z(String(t[0]))}catch{return`until-green`}}const U=/(?<! ) +or comment: \/workflow .*$/gm,W=/(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|feedback|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b|<command>)/g;function G(e){try{Z(1,e)}catch(e){throw new J(`standard output cannot be written: ${e.message}`)}}const K=e=>G(B(e));function q(e){try{Z(2,B(e))}catch{}}var J=class extends Error{name=`PrintError`};let Y=0;function X(e){Y+=1;let t={v:1,seq:Y,at:new Date().toISOString(),run:``,type:`notice`};G(`${JSON.stringify({...t,...e})}\n`)}function Z(e,t){let n=Buffer.from(t);for(let t=0;t<n.length;)try{t+=I(e,n,t)}catch(e){let{code:t}=e;if(t===`EPIPE`)return;if(t!==`EAGAIN`)throw e;Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5)}}const Q=`0.1.0`,$=`until-green ${Q}: agent loops, run until a check says they are done

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
`;export{C as A,N as B,g as C,b as D,y as E,O as F,P as H,k as I,A as L,T as M,E as N,x as O,D as P,j as R,h as S,v as T,F as U,ee as V,I as W,u as _,X as a,p as b,z as c,i as d,a as f,l as g,c as h,G as i,w as j,S as k,R as l,s as m,Q as n,q as o,o as p,J as r,K as s,$ as t,r as u,d as v,_ as w,m as x,f as y,M as z};