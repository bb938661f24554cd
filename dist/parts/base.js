import{createRequire as e}from"node:module";let t;const n=()=>t??=e(import.meta.url)(`node:fs`),r=e=>n()[e];var i=/* @__PURE__ */ n();const a=(...e)=>n().accessSync(...e),o=(...e)=>n().appendFileSync(...e),s=(...e)=>n().chmodSync(...e),c=(...e)=>n().closeSync(...e),l=/* @__PURE__ */ r(`constants`),u=(...e)=>n().copyFileSync(...e),d=(...e)=>n().cpSync(...e),f=(...e)=>n().existsSync(...e),p=(...e)=>n().fdatasync(...e),m=(...e)=>n().fstatSync(...e),h=(...e)=>n().fsyncSync(...e),g=(...e)=>n().ftruncateSync(...e),_=(...e)=>n().globSync(...e),v=(...e)=>n().lstatSync(...e),y=(...e)=>n().mkdirSync(...e),b=(...e)=>n().mkdtempSync(...e),x=(...e)=>n().openSync(...e),S=(...e)=>n().readFileSync(...e),C=(...e)=>n().readSync(...e),w=(...e)=>n().readdirSync(...e),T=(...e)=>n().readlinkSync(...e),E=/* @__PURE__ */ r(`realpathSync`),D=(...e)=>n().renameSync(...e),O=(...e)=>n().rmSync(...e),k=(...e)=>n().rmdirSync(...e),A=(...e)=>n().statSync(...e),j=(...e)=>n().symlinkSync(...e),M=(...e)=>n().unlinkSync(...e),N=(...e)=>n().writeFileSync(...e),P=(...e)=>n().writeSync(...e);function F(e){try{B(1,e)}catch(e){throw new L(`standard output cannot be written: ${e.message}`)}}function I(e){try{B(2,e)}catch{}}var L=class extends Error{name=`PrintError`};let R=0;function z(e){R+=1;let t={v:1,seq:R,at:(/* @__PURE__ */ new Date()).toISOString(),run:``,type:`notice`};F(`${JSON.stringify({...t,...e})}\n`)}function B(e,t){let n=Buffer.from(t);for(let t=0;t<n.length;)try{t+=P(e,n,t)}catch(e){let{code:t}=e;if(t===`EPIPE`)return;if(t!==`EAGAIN`)throw e;Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5)}}const V=`0.1.0`,H=`until-green ${V}: agent loops, run until a check says they are done

Usage: until-green <command> [options]

  run <workflow> [message…]        run a workflow: a path, or a name in .github/loops/ or .archon/workflows/
  run --prompt TEXT --until-bash CMD
                                   run an inline loop without a file
  resume <run-id>                  go on with a paused or interrupted run
  approve <run-id> [text…]         approve the open gate, with feedback for the next iteration
  reject <run-id> [reason…]        reject it; the run ends as failed
  cancel <run-id>                  end a run wherever it stands
  tell <run-id> <step> <text…>     put a message into a step's inbox
  status <run-id>                  how a run stands
  list                             the runs kept here; --prune DAYS deletes what ended so long ago
  check <file…>                    diagnostics of workflow files, all of them at once
  plan <file>                      what a workflow would do (--format text|json|mermaid)
  convert <file>                   a workflow of any language as a native file (--out FILE)
  report <run-id>                  a report of a run (--format markdown|html, --out FILE)
  init                             write a first workflow
  doctor                           look whether everything needed is here
  demo                             watch a loop fix a small project

Run options:
  -i, --input KEY=VALUE            an input of the workflow; may be repeated
      --agent NAME                 who works: claude, codex, gemini, copilot, opencode,
                                   api[:PROVIDER/MODEL], command:CMD, scripted:FILE;
                                   else the first that is here with a key (see doctor)
      --model NAME
      --run-id ID
      --store memory|dir:PATH|git[:REMOTE]|bundle:FILE
      --max-cost-usd N  --max-tokens N
      --max-minutes N              pause the run after N minutes; resume goes on
      --dry-run                    show the plan, run nothing
  inline loop:
      --prompt TEXT|@FILE  --until SIGNAL  --until-bash CMD  --max-iterations N
      --fresh-context  --protect GLOB (may be repeated)

Everywhere: --json (events on standard output)  --quiet  --cwd DIR  --help  --version

Exit codes: 0 succeeded  1 failed  2 bad usage or workflow file  3 paused  4 cancelled  5 lost to another runner
`;export{D as A,b as C,w as D,C as E,M as F,N as I,P as L,k as M,A as N,T as O,j as P,y as S,S as T,m as _,z as a,_ as b,a as c,c as d,l as f,p as g,f as h,F as i,O as j,E as k,o as l,d as m,V as n,I as o,u as p,L as r,i as s,H as t,s as u,h as v,x as w,v as x,g as y};