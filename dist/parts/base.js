import{createRequire as e}from"node:module";let t;const n=()=>t??=e(import.meta.url)(`node:fs`),r=e=>n()[e];var i=/* @__PURE__ */ n();const a=(...e)=>n().accessSync(...e),o=(...e)=>n().appendFileSync(...e),s=(...e)=>n().chmodSync(...e),c=(...e)=>n().closeSync(...e),l=/* @__PURE__ */ r(`constants`),u=(...e)=>n().copyFileSync(...e),d=(...e)=>n().cpSync(...e),ee=(...e)=>n().createReadStream(...e),te=(...e)=>n().createWriteStream(...e),ne=(...e)=>n().existsSync(...e),f=(...e)=>n().fdatasync(...e),p=(...e)=>n().fstatSync(...e),m=(...e)=>n().fsyncSync(...e),h=(...e)=>n().ftruncateSync(...e),g=(...e)=>n().globSync(...e),_=(...e)=>n().linkSync(...e),v=(...e)=>n().lstatSync(...e),y=(...e)=>n().lutimesSync(...e),b=(...e)=>n().mkdirSync(...e),x=(...e)=>n().mkdtempSync(...e),S=(...e)=>n().openSync(...e),C=(...e)=>n().readFileSync(...e),w=(...e)=>n().readSync(...e),T=(...e)=>n().readdirSync(...e),E=(...e)=>n().readlinkSync(...e),D=/* @__PURE__ */ r(`realpathSync`),O=(...e)=>n().renameSync(...e),k=(...e)=>n().rmSync(...e),A=(...e)=>n().rmdirSync(...e),j=(...e)=>n().statSync(...e),re=(...e)=>n().symlinkSync(...e),M=(...e)=>n().truncateSync(...e),N=(...e)=>n().unlinkSync(...e),P=(...e)=>n().writeFileSync(...e),F=(...e)=>n().writeSync(...e);let I;const L=()=>I??=e(import.meta.url)(`node:process`),R=e=>L()[e];var z=/* @__PURE__ */ L();const B=/* @__PURE__ */ R(`arch`),V=/* @__PURE__ */ R(`env`),H=/* @__PURE__ */ R(`execArgv`),U=/* @__PURE__ */ R(`execPath`),W=/* @__PURE__ */ R(`hrtime`),G=/* @__PURE__ */ R(`platform`),K=e=>V.npm_command===void 0&&V.npm_lifecycle_event===void 0?e:e.replace(q,`npx until-green `),q=/(?<![\w/-]|npx )until-green (?=(?:approve|cancel|check|convert|demo|diff|doctor|eval|init|list|logs|plan|reject|repair|report|restore|resume|run|stats|status|tell|--help)\b)/g;function J(e){try{Q(1,e)}catch(e){throw new X(`standard output cannot be written: ${e.message}`)}}function Y(e){try{Q(2,K(e))}catch{}}var X=class extends Error{name=`PrintError`};let Z=0;function ie(e){Z+=1;let t={v:1,seq:Z,at:(/* @__PURE__ */ new Date()).toISOString(),run:``,type:`notice`};J(`${JSON.stringify({...t,...e})}\n`)}function Q(e,t){let n=Buffer.from(t);for(let t=0;t<n.length;)try{t+=F(e,n,t)}catch(e){let{code:t}=e;if(t===`EPIPE`)return;if(t!==`EAGAIN`)throw e;Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5)}}const $=`0.1.0`,ae=`until-green ${$}: agent loops, run until a check says they are done

Usage: until-green <command> [options]

  run <workflow> [message…]        run a workflow: a path, or a name in .github/loops/ or .archon/workflows/
  run --prompt TEXT --until-bash CMD
                                   run an inline loop without a file
  resume [run-id]                  resume a paused or interrupted run
  approve [run-id] [text…]         approve the open gate, with feedback for the next iteration
  reject [run-id] [reason…]        reject the open gate; the run ends as failed
  cancel [run-id]                  cancel a run that is running or paused
  tell <run-id> <step> <text…>     send a message to a step; its next agent call reads it
  status [run-id]                  show the status of a run
  list                             list the runs; --prune DAYS first deletes those that ended that many days ago
  stats                            show statistics of all runs (--format text|html, --out FILE)
  repair <run-id>                  truncate a damaged log after its last intact line; the damaged file is kept
  check [workflow…]                check workflow files, given by path, name or folder; by default all of them
                                   (--format text|sarif|github)
  plan <file>                      show what a workflow would do (--format text|json|mermaid)
  convert <file>                   convert a workflow of another language to a native file (--out FILE)
  logs [run-id]                    show what the agents said and the checks printed
                                   (--iteration N, --node ID, --follow)
  diff [run-id] [N] [M]            show what a run changed, or iteration N, or iterations N+1 to M (--stat, --node ID)
  restore <run-id> <N>             restore the files of iteration N; saves the current ones first (--node ID)
  report [run-id]                  write a report of a run (--format markdown|html|junit, --out FILE)
  init                             write a loop and a GitHub workflow that fit this project
                                   (--dir FOLDER, --check CMD, --no-try-check)
  doctor                           check whether this machine has everything needed
  eval <tasks>                     compare agents on tasks with a check (--agent NAME, may be repeated,
                                   --repeat N, --out DIR, --max-cost-usd N, --replay DIR)
  demo                             watch a loop fix a small project

Run options:
  -i, --input KEY=VALUE            an input of the workflow; may be repeated
      --agent NAME                 the agent: claude, codex, gemini, copilot, opencode, qwen, pi,
                                   api[:PROVIDER/MODEL], command:CMD, scripted:FILE;
                                   default: the first that is installed and has a key (see doctor)
      --model NAME
      --run-id ID
      --store memory|dir:PATH|git[:REMOTE]|bundle:FILE
      --max-cost-usd N  --max-tokens N
      --max-minutes N              pause the run after N minutes; resume continues it
      --patience TIME              how long to wait if a model provider is unavailable, before pausing; default 30m
      --isolation auto|required|off  the isolation of agents, scripts and checks (see doctor)
      --agent-args "ARGS"          further arguments for agents that are programs
      --network HOSTS|none         the hosts that programs may reach, such as npm,github,example.com
      --dry-run                    show the plan, run nothing
  inline loop:
      --prompt TEXT|@FILE  --until SIGNAL  --until-bash CMD  --max-iterations N
      --fresh-context  --protect GLOB (may be repeated)

Name a run by its id or by a unique prefix of it. The default is the newest run; for approve, reject
and cancel it is the only run that waits.

Everywhere: --json (events on standard output)  --quiet  --cwd DIR  --help  --version

Exit codes: 0 succeeded  1 failed  2 bad usage or workflow file  3 paused  4 cancelled  5 lost to another runner
`;export{g as A,E as B,ee as C,p as D,f as E,x as F,j as G,O as H,S as I,N as J,re as K,C as L,v as M,y as N,m as O,b as P,w as R,d as S,ne as T,k as U,D as V,A as W,F as X,P as Y,o as _,ie as a,l as b,z as c,H as d,U as f,a as g,i as h,J as i,_ as j,h as k,B as l,G as m,$ as n,Y as o,W as p,M as q,X as r,K as s,ae as t,V as u,s as v,te as w,u as x,c as y,T as z};