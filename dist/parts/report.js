import"./rolldown-runtime.js";import{T as e,Y as t,i as n,o as r}from"./base.js";import{$t as i,A as a,At as o,Bt as s,Ct as c,Dt as l,Et as u,F as d,Ft as f,G as p,It as m,Lt as ee,M as h,Mt as g,N as _,Nt as te,P as v,St as ne,Tt as re,V as y,Vt as ie,da as ae,er as b,j as x,kt as S,ma as C,zt as w}from"./core.js";import{nt as T,rt as E,tt as D}from"./job.js";import{a as O,g as k,h as A}from"./local-run.js";import{t as j}from"./find-run.js";import{t as M}from"./shown-store.js";function N(e){return`<blockquote>${e.replace(/\r\n?/g,`
`).split(/^ *```[^`\n]*\n([\s\S]*?)(?:\n? *```[ \t]*$|$(?![\s\S]))/m).map((e,t)=>t%2==1?`<pre>${y(e)}</pre>`:P(e)).join(``)}</blockquote>`}const P=e=>e.split(/\n\s*\n/).filter(e=>e.trim()!==``).map(e=>`<p>${e.trim().split(F).map(I).join(`<br>`)}</p>`).join(``),F=/\n(?=\s*(?:[-*+>|#]|\d+[.)])|\s{2,})/,I=e=>e.replace(/\s*\n\s*/g,` `).split(/(?<!`)`([^`]+)`(?!`)/).map((e,t)=>t%2==1?`<code>${y(e)}</code>`:y(e)).join(``);function L(e,t){let n=g(e.rows);return n.map((r,i)=>R(r,{loop:e,details:t,isLast:i===n.length-1})).join(`
`)}function R(e,{loop:t,details:n,isLast:r}){let i=`${t.path}#${e.number}`,{words:a=``,tail:o=``}=n.iterations.get(i)??{},c=n.diffs.get(i)??``,l=e.item===void 0?`Iteration ${e.number}`:`${e.number}. ${w(e.item,80)}`,u=[...e.stops.filter(v).map(e=>d(e)),te(e.diff),e.durationMs===void 0?``:m(e.durationMs),s(e.usage)===``?``:`${s(e.usage)} tokens`,ee(e.usage)].filter(e=>e!==``);return`<details class="iteration"${r?` open`:``}><summary><b>${y(l)}</b> <span class="facts">${y(u.join(` · `))}</span></summary>
${a===``?``:N(a)}
${c===``?``:`<h4>Changes</h4>${B(c)}`}
${o===``?``:z(o,e)}
</details>`}function z(e,{stops:t}){let n=`<pre>${y(e)}</pre>`;return t.some(({verdict:e})=>e===`done`)?`<details class="tail"><summary>Last lines of the check</summary>${n}</details>`:`<h4>Last lines of the check</h4>${n}`}function B(e){let t=e.trimEnd().split(`
`),n=t.slice(0,400).map(e=>`<span${V(e)}>${y(e)||` `}</span>`),r=t.length-n.length,i=r>0?`<span class="faint">… ${f(r,`line`)} more</span>`:``;return`<pre class="diff">${n.join(``)}${i}</pre>`}function V(e){return/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename)/.test(e)?` class="head"`:e.startsWith(`@@`)?` class="hunk"`:e.startsWith(`+`)?` class="add"`:e.startsWith(`-`)?` class="del"`:``}function H(e){if(e.length<2)return``;let t=Math.max(1,...e.map(({to:e})=>e)),n=e.slice(0,U).map(({label:e,status:n,from:r,to:i})=>{let a=(r/t*100).toFixed(2),o=Math.max(.5,(i-r)/t*100).toFixed(2);return`<div class="lane"><span>${y(w(e,40))}</span><i><b class="${n}" style="left:${a}%;width:${o}%"></b></i><time>${m(i-r)}</time></div>`}),r=e.length>U?`<p class="facts">… ${e.length-U} more</p>`:``;return`<section><h2>Timeline</h2>\n${n.join(`
`)}${r}</section>`}const U=40,W=(e,t,n=``)=>`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${y(e)}</title>
<style>${G}${n}</style>
</head>
<body>
<main>
${t}
</main>
</body>
</html>
`,G=`
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
svg { height: 4rem; max-width: 100%; fill: var(--bar); }
.gate { border-left: 4px solid #bf8700; padding-left: 1rem; }
summary { cursor: pointer; }
`;function K(e){let t=(t,n)=>n.map((n,r)=>`<${t}${e.columns[r]?.align===`right`?` class="right"`:``}>${y(n)}</${t}>`).join(``);return`<table>\n<thead><tr>${t(`th`,e.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${e.rows.map(e=>`<tr>${t(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function q(e,t=J){let n=u(e),r=oe(e,y(n),t).filter(e=>e!==``).join(`
`);return W(n,r,`
.iteration { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; margin: .6rem 0; }
.iteration h4, .tail { margin: .8rem 0 .3rem; font-size: .85rem; color: var(--faint); } .tail pre { color: var(--ink); }
blockquote p { margin: .4rem 0; } blockquote { margin: .6rem 0; padding: .1rem 1rem; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
.diff span { display: block; white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .5rem; }
.diff .add { background: light-dark(#dafbe1, #12261e); } .diff .del { background: light-dark(#ffebe9, #25171c); }
.diff .hunk, .diff .head, .faint { color: var(--faint); }
.lane { display: grid; grid-template-columns: 10rem 1fr 5rem; gap: .75rem; align-items: center; font-size: .85rem; margin: .2rem 0; }
.lane span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane i { position: relative; height: .9rem; background: var(--panel); border-radius: 3px; }
.lane b { position: absolute; top: 0; bottom: 0; border-radius: 3px; background: light-dark(#1f883d, #3fb950); }
.lane b.failed, .lane b.cancelled { background: var(--bar); } .lane b.running { background: #bf8700; }
.lane b.skipped { background: var(--faint); } .lane time { text-align: right; font-variant-numeric: tabular-nums; }
@media print { details:not([open]) > *:not(summary) { display: block; } details::details-content { content-visibility: visible; block-size: auto; }
  pre, .iteration { break-inside: avoid-page; } main { max-width: none; padding: 0; } }
@media (max-width: 40rem) { .lane { grid-template-columns: 6rem 1fr 4rem; } }
`)}const J={iterations:/* @__PURE__ */ new Map,nodes:[],diffs:/* @__PURE__ */ new Map};function oe(e,t,n){let r=e.because===void 0?``:`<p>${y(e.because)}</p>`,i=e.agent===void 0?[]:[`agent <code>${y(re(e.agent))}</code>`],a=[`Run <code>${y(e.run)}</code>`,...i,...S(e)].join(` · `),o=e.loops.left===0?``:`<p>… ${e.loops.left} more loops</p>`;return[`<h1>${t}</h1>`,r,`<p class="facts">${a}</p>`,...se(e),e.state===`paused`&&e.stopReason!==`gate`?`<p>To go on:</p>\n${Y(`until-green resume ${e.run}`)}`:``,ce(e),...g(e.loops).map(t=>le(t,e.state,n)),o,H(n.nodes),de(e),fe(e),e.output===``?``:`<details><summary>Last output</summary>${Y(e.output)}</details>`]}const Y=e=>`<pre>${y(e)}</pre>`;function se(e){return e.gates.map(t=>{let n=E(e,t,`terminal`),r=n.length===0?``:`<p>Answer with one of:</p>\n${Y(n.join(`
`))}`;return`<section class="gate"><h2>Waiting for you · ${y(o(t.path,g(e.loops)))}</h2>
${Y(T(t,e.run))}
${r}</section>`})}function ce(e){let t=a(e);if(t===void 0)return``;let n=t.failing.map(e=>`<li><code>${y(e)}</code></li>`).join(``);return`${n===``?``:`<h2>Failing tests</h2><ul>${n}</ul>`}<h2>Last lines of the check</h2>${Y(t.tail)}`}function le(e,t,n){let r=x(e),i=n.iterations.size===0?``:L(e,n),a=r.length===0?``:`<p>Failing tests: ${h(r)}</p>\n${r.length<4?``:ue(r)}`;return`<section><h2><code>${y(e.node)}</code>: ${y(l(e,t))}</h2>
<div class="scroll">${K(_(e,t))}</div>
${a}${i}</section>`}function ue(e){let t=Math.max(1,...e.map(e=>e.value??0)),n=({label:e,value:n=0},r)=>{let i=n===0?1:Math.max(2,Math.round(n/t*100)),a=`<title>${y(e)}: ${n}</title>`;return`<rect x="${r*10}" y="${100-i}" width="8" height="${i}">${a}</rect>`},r=e.map((e,t)=>e.value===void 0?``:n(e,t)).join(``);return`<svg ${`width="${e.length*22}" viewBox="0 0 ${e.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${h(e)}">${r}</svg>`}function de(e){let t=g(e.messages).map(e=>`<li>${y(`${c(e)}: ${e.text}`)}</li>`);return t.length===0?``:`<h2>Messages</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}function fe(e){let t=g(e.notices).map(e=>{let t=e.file===void 0?``:` (${[e.file,e.line].filter(Boolean).join(`:`)})`;return`<li><code>${y(e.code)}</code> ${y(e.message+t)}</li>`});return t.length===0?``:`<h2>Notices</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}function pe(e){let t=a(e),n=e.conclusion===`success`||e.conclusion===`skipped`,r=t?.failing??[],i=(e.activeMs/1e3).toFixed(3),o=e.because??e.stopReason??e.state,s=(e,t=``)=>`<failure message="${Z(e)}">${X(t)}</failure>`,c=Z(e.workflow||e.run),l=[`<testcase classname="until-green" name="${c}" time="${i}">${n?``:s(o,t?.tail)}</testcase>`,...r.map(e=>`<testcase classname="${c}" name="${Z(e)}">${s(`fails`)}</testcase>`)],u=r.length+ +!n,d=`tests="${l.length}" failures="${u}" errors="0" time="${i}"`;return`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${d}>\n<testsuite name="${c}" ${d}>\n${l.join(`
`)}\n</testsuite>\n</testsuites>\n`}const X=e=>p(e).replace(/&/g,`&amp;`).replace(/</g,`&lt;`).replace(/>/g,`&gt;`),Z=e=>X(e).replace(/"/g,`&quot;`).replace(/\s+/g,` `);function me(e){let t=/* @__PURE__ */ new Map,n=/* @__PURE__ */ new Map,r=Date.parse(e[0]?.at??``);for(let i of e)Q(t,i),he(n,i,Date.parse(i.at)-r);let i=Date.parse(e.at(-1)?.at??``)-r;return{iterations:t,nodes:[...n.values()].map(e=>e.status===`running`?{...e,to:i}:e)}}function Q(e,t){let n=(t,n)=>e.set(t,{words:``,tail:``,...e.get(t),...n});t.type===`iteration.ended`&&t.output.trim()!==``&&n(t.path,{words:ie(t.output.trim(),8e3)}),t.type===`stop.tested`&&t.tail!==void 0&&n(t.path.replace(/\?[^?/]*$/,``),{tail:t.tail.trimEnd().slice(-8e3).toWellFormed()})}function he(e,t,n){if(t.type===`node.started`&&e.size<200&&e.set(t.path,{path:t.path,label:t.label,status:`running`,from:n,to:n}),t.type!==`node.ended`)return;let r=e.get(t.path);r!==void 0&&e.set(t.path,{...r,status:t.status,to:n})}async function ge(e,t){let n=await O(t),r=await j(n.store,e),{session:a}=await i(M(n.store),r);return $(await _e(a.take(),t.format,n),{...t,cwd:n.cwd}),k.ok}function $(e,{out:i,quiet:a,cwd:o}){if(i===void 0)n(e);else{try{t(C(o,i),e)}catch(e){throw new A(`the report cannot be written: ${e.message}`)}a||r(`${C(o,i)}\n`)}}async function _e(e,t,n){let r=ne(e);return t===`markdown`?D(r):t===`junit`?pe(r):q(r,{...me(e),diffs:await ve(e,n)})}async function ve(t,n){let r=ae(n.privateDir(t[0]?.run??``),`snapshots.git`),i=/* @__PURE__ */ new Map;if(!e(r))return i;for(let e of t){if(e.type!==`iteration.ended`||e.snapshot===void 0||e.since===void 0)continue;if(i.size>=50)break;let t=[`--git-dir`,r,`diff`,`--no-color`,`--no-ext-diff`,`--no-textconv`,e.since,e.snapshot],{code:a,out:o}=await b({cwd:n.cwd,args:t,accept:[0,128]});a===0&&i.set(e.path,Buffer.from(o.slice(0,ye),`latin1`).toString(`utf8`))}return i}const ye=2e5;export{K as i,$ as n,W as r,ge as t};