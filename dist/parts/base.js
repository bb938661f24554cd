import{createRequire as e}from"node:module";const t=/* @__PURE__ */ e(import.meta.url)(`node:fs`),n=e=>t[e],r=/* @__PURE__ */ n(`accessSync`),i=/* @__PURE__ */ n(`appendFileSync`),a=/* @__PURE__ */ n(`chmodSync`),o=/* @__PURE__ */ n(`closeSync`),s=/* @__PURE__ */ n(`constants`),c=/* @__PURE__ */ n(`copyFileSync`),l=/* @__PURE__ */ n(`cpSync`),u=/* @__PURE__ */ n(`existsSync`),d=/* @__PURE__ */ n(`fdatasync`),f=/* @__PURE__ */ n(`fstatSync`),p=/* @__PURE__ */ n(`fsyncSync`),m=/* @__PURE__ */ n(`ftruncateSync`),h=/* @__PURE__ */ n(`globSync`),g=/* @__PURE__ */ n(`lstatSync`),_=/* @__PURE__ */ n(`mkdirSync`),v=/* @__PURE__ */ n(`mkdtempSync`),y=/* @__PURE__ */ n(`openSync`),b=/* @__PURE__ */ n(`readFileSync`),x=/* @__PURE__ */ n(`readSync`),S=/* @__PURE__ */ n(`readdirSync`),C=/* @__PURE__ */ n(`readlinkSync`),w=/* @__PURE__ */ n(`realpathSync`),T=/* @__PURE__ */ n(`renameSync`),E=/* @__PURE__ */ n(`rmSync`),D=/* @__PURE__ */ n(`rmdirSync`),O=/* @__PURE__ */ n(`statSync`),k=/* @__PURE__ */ n(`symlinkSync`),A=/* @__PURE__ */ n(`unlinkSync`),j=/* @__PURE__ */ n(`writeFileSync`),M=/* @__PURE__ */ n(`writeSync`);function N(e){try{R(1,e)}catch(e){throw new F(`standard output cannot be written: ${e.message}`)}}function P(e){try{R(2,e)}catch{}}var F=class extends Error{name=`PrintError`};let I=0;function L(e){I+=1;let t={v:1,seq:I,at:(/* @__PURE__ */ new Date()).toISOString(),run:``,type:`notice`};N(`${JSON.stringify({...t,...e})}\n`)}function R(e,t){let n=Buffer.from(t);for(let t=0;t<n.length;)try{t+=M(e,n,t)}catch(e){let{code:t}=e;if(t===`EPIPE`)return;if(t!==`EAGAIN`)throw e;Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5)}}const z=`0.1.0`,B=`until-green ${z}: agent loops, run until a check says they are done

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
`;export{T as A,v as C,S as D,x as E,A as F,j as I,M as L,D as M,O as N,C as O,k as P,_ as S,b as T,f as _,L as a,h as b,r as c,o as d,s as f,d as g,u as h,N as i,E as j,w as k,i as l,l as m,z as n,P as o,c as p,F as r,t as s,B as t,a as u,p as v,y as w,g as x,m as y};