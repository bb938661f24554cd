import{a as e,d as t,i as n,n as r,o as i,r as a,s as o,t as s,u as c}from"./iterations.js";import{f as l,i as u,l as d,n as f,r as p,s as m,t as h,u as g}from"./headline.js";import{r as _}from"./words.js";import{n as v,t as y}from"./exit.js";import{t as b}from"./world.js";import{resolve as x}from"node:path";import{writeFileSync as S}from"node:fs";function C(e,t,n){let r=t.path===e.gates[0]?.path;if(r&&t.message.includes(`approve ${e.run}`))return[];let i=n===`terminal`?`until-green`:`/workflow`,a=e=>n===`terminal`?`"${e}"`:`<${e}>`,o=n===`terminal`&&!r?` --gate '${t.path}'`:``;return[`${i} approve ${e.run} ${a(`what to do next`)}${o}`,`${i} approve ${e.run}${o}`,`${i} reject ${e.run} ${a(`why`)}${o}`,`${i} cancel ${e.run}`]}function w(t){let n=e(h(t));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${n}</title>
<style>${T}</style>
</head>
<body>
<main>
${E(t,n).filter(e=>e!==``).join(`
`)}
</main>
</body>
</html>
`}const T=`
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6edf3); --faint: light-dark(#59636e, #9198a1);
  --line: light-dark(#d1d9e0, #3d444d); --ground: light-dark(#ffffff, #0d1117); --panel: light-dark(#f6f8fa, #151b23);
  --bar: light-dark(#cf222e, #f85149); }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Liberation Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.facts { color: var(--faint); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.right { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
pre { background: var(--panel); padding: .75rem 1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .875em; }
svg { height: 4rem; width: 100%; max-width: 30rem; fill: var(--bar); }
.gate { border-left: 4px solid #bf8700; padding-left: 1rem; }
summary { cursor: pointer; }
`;function E(t,n){let r=t.because===void 0?``:`<p>${e(t.because)}</p>`,i=t.agent===void 0?[]:[`agent <code>${e(t.agent)}</code>`],a=[`Run <code>${e(t.run)}</code>`,...i,...u(t)].join(` · `),o=t.loops.left===0?``:`<p>… ${t.loops.left} more loops</p>`;return[`<h1>${n}</h1>`,r,`<p class="facts">${a}</p>`,...O(t),...d(t.loops).map(k),o,M(t),t.output===``?``:`<details><summary>Last output</summary>${D(t.output)}</details>`]}const D=t=>`<pre>${e(t)}</pre>`;function O(t){return t.gates.map(n=>{let r=C(t,n,`terminal`),i=r.length===0?``:`<p>Answer with one of:</p>\n${D(r.join(`
`))}`;return`<section class="gate"><h2>Waiting for a person at <code>${e(n.path)}</code></h2>
${D(n.message)}
${i}</section>`})}function k(t){let n=s(t),i=n.length===0?``:`<p>Failing tests: ${r(n)}</p>\n${j(n)}`;return`<section><h2><code>${e(t.node)}</code>: ${e(f(t))}</h2>
<div class="scroll">${A(a(t))}</div>
${i}</section>`}function A(t){let n=(n,r)=>r.map((r,i)=>`<${n}${t.columns[i]?.align===`right`?` class="right"`:``}>${e(r)}</${n}>`).join(``);return`<table>\n<thead><tr>${n(`th`,t.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${t.rows.map(e=>`<tr>${n(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function j(t){let n=Math.max(1,...t.map(e=>e.value??0)),i=({label:t,value:r=0},i)=>{let a=r===0?1:Math.max(2,Math.round(r/n*100)),o=`<title>${e(t)}: ${r}</title>`;return`<rect x="${i*10}" y="${100-a}" width="8" height="${a}">${o}</rect>`},a=t.map((e,t)=>e.value===void 0?``:i(e,t)).join(``);return`<svg ${`viewBox="0 0 ${t.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${r(t)}">${a}</svg>`}function M(t){let n=d(t.notices).map(t=>{let n=t.file===void 0?``:` (${[t.file,t.line].filter(Boolean).join(`:`)})`;return`<li><code>${e(t.code)}</code> ${e(t.message+n)}</li>`});return n.length===0?``:`<h2>Notices</h2>\n<ul>\n${n.join(`
`)}\n</ul>`}function N(e,t={}){for(let n of F){let r=L(e,n,t).filter(I).join(`

`);if(r.length<65536)return`${r}\n`}return`${_(h(e),65535)}\n`}const P={loops:100,rows:100,charts:!0,notices:50,output:16384,gate:6e4},F=[P,{...P,rows:40,notices:20,output:4096},{...P,loops:10,rows:20,notices:5,output:1024},{...P,loops:3,rows:10,charts:!1,notices:2,output:0},{...P,loops:0,rows:0,charts:!1,notices:0,output:0},{...P,loops:0,rows:0,charts:!1,notices:0,output:0,gate:6e3},{...P,loops:0,rows:0,charts:!1,notices:0,output:0,gate:900}],I=e=>e!==``;function L(e,t,n){let r=p(e,t.loops,t.rows);return[`### ${i(h(e))}`,e.because===void 0?``:i(_(e.because,2e3)),R(e),...z(e,t,n),V(e,n),...d(r.loops).map(e=>H(e,t,n)),r.loops.left===0?``:`… ${r.loops.left} more loops`,G(e,t.notices),K(e,t.output)]}function R(e){let t=e.agent===void 0?[]:[`agent ${o(e.agent)}`];return[`Run ${o(e.run)}`,...t,...u(e)].join(` · `)}function z(e,t,r){let i=Math.floor(t.gate/Math.max(1,e.gates.length));return e.gates.slice(0,B).map(t=>{let a=C(e,t,r.answerBy??`terminal`);return[`#### Waiting for a person at ${o(t.path)}`,n(_(t.message,Math.max(i,900))),...a.length===0?[]:[`Answer with one of:`,n(a.join(`
`))]].join(`

`)})}const B=50;function V(e,t){return e.stopReason!==`time-limit`||t.answerBy===`comment`?``:`To go on:\n\n${n(`until-green resume ${e.run}`)}`}function H(e,n,i){let l=s(e),u=t(l.map(e=>e.value));return[`#### ${o(e.node)}: ${f(e)}`,U(a(e),i),l.length===0?``:`Failing tests: \`${u}\` ${r(l)}`,n.charts?c(`Failing tests`,l):``].filter(I).join(`

`)}function U(e,t){let n=e=>`| ${e.join(` | `)} |`,r=W(e,t),a=(t,n,a)=>{let o=n===e.changedColumn?r[a]:void 0;return o===void 0||t===``?i(t):`[${i(t)}](${o})`};return[n(e.columns.map(e=>e.title)),n(e.columns.map(e=>e.align===`right`?`--:`:`---`)),...e.rows.map((e,t)=>n(e.map((e,n)=>a(e,n,t))))].join(`
`)}function W(e,t){return e.iterations.map((n,r)=>{let i=e.iterations[r-1]?.snapshot,a=n?.snapshot;if(i!==void 0&&a!==void 0)return t.diffUrl?.(i,a)?.replace(/[\s()<>|]/g,encodeURIComponent)})}function G(e,t){if(t===0)return``;let n=g(e.notices,t),r=d(n).map(e=>{let t=e.file===void 0?``:` (${o([e.file,e.line].filter(Boolean).join(`:`))})`;return`- ${o(e.code)} ${i(_(e.message,500))}${t}`});if(r.length===0)return``;let a=n.left===0?[]:[`- … ${n.left} more`];return[`#### Notices`,``,...r,...a].join(`
`)}function K(e,t){return t===0||e.output===``?``:`<details><summary>Last output</summary>\n\n${n(_(e.output,t))}\n\n</details>`}async function q(e,t){let{store:n,cwd:r}=await b(t),{session:i}=await l(n,e),a=m(i.take()),o=t.format===`html`?w(a):N(a);if(t.out===void 0)return process.stdout.write(o),v.ok;try{S(x(r,t.out),o)}catch(e){throw new y(`the report cannot be written: ${e.message}`)}return t.quiet||process.stderr.write(`${x(r,t.out)}\n`),v.ok}export{q as reportCommand};