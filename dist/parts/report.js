import{I as e,i as t,o as n}from"./base.js";import{A as r,B as i,C as a,Ca as o,D as s,I as c,O as l,S as u,b as d,d as f,w as p,x as m}from"./core.js";import{A as h,O as g,k as _}from"./job.js";import{n as v,r as y}from"./exit.js";import{t as b}from"./world.js";function x(e){let t=i(s(e));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${t}</title>
<style>${S}</style>
</head>
<body>
<main>
${C(e,t).filter(e=>e!==``).join(`
`)}
</main>
</body>
</html>
`}const S=`
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
`;function C(e,t){let n=e.because===void 0?``:`<p>${i(e.because)}</p>`,a=e.agent===void 0?[]:[`agent <code>${i(e.agent)}</code>`],o=[`Run <code>${i(e.run)}</code>`,...a,...r(e)].join(` · `),s=e.loops.left===0?``:`<p>… ${e.loops.left} more loops</p>`;return[`<h1>${t}</h1>`,n,`<p class="facts">${o}</p>`,...T(e),e.stopReason===`time-limit`?`<p>To go on:</p>\n${w(`until-green resume ${e.run}`)}`:``,...c(e.loops).map(t=>E(t,e.state)),s,k(e),A(e),e.output===``?``:`<details><summary>Last output</summary>${w(e.output)}</details>`]}const w=e=>`<pre>${i(e)}</pre>`;function T(e){return e.gates.map(t=>{let n=h(e,t,`terminal`),r=n.length===0?``:`<p>Answer with one of:</p>\n${w(n.join(`
`))}`;return`<section class="gate"><h2>Waiting for a person at <code>${i(t.path)}</code></h2>
${w(_(t,e.run))}
${r}</section>`})}function E(e,t){let n=u(e),r=n.length===0?``:`<p>Failing tests: ${a(n)}</p>\n${O(n)}`;return`<section><h2><code>${i(e.node)}</code>: ${i(l(e,t))}</h2>
<div class="scroll">${D(p(e))}</div>
${r}</section>`}function D(e){let t=(t,n)=>n.map((n,r)=>`<${t}${e.columns[r]?.align===`right`?` class="right"`:``}>${i(n)}</${t}>`).join(``);return`<table>\n<thead><tr>${t(`th`,e.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${e.rows.map(e=>`<tr>${t(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function O(e){let t=Math.max(1,...e.map(e=>e.value??0)),n=({label:e,value:n=0},r)=>{let a=n===0?1:Math.max(2,Math.round(n/t*100)),o=`<title>${i(e)}: ${n}</title>`;return`<rect x="${r*10}" y="${100-a}" width="8" height="${a}">${o}</rect>`},r=e.map((e,t)=>e.value===void 0?``:n(e,t)).join(``);return`<svg ${`width="${e.length*22}" viewBox="0 0 ${e.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${a(e)}">${r}</svg>`}function k(e){let t=c(e.messages).map(e=>`<li>${i(`${m(e)}: ${e.text}`)}</li>`);return t.length===0?``:`<h2>Messages</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}function A(e){let t=c(e.notices).map(e=>{let t=e.file===void 0?``:` (${[e.file,e.line].filter(Boolean).join(`:`)})`;return`<li><code>${i(e.code)}</code> ${i(e.message+t)}</li>`});return t.length===0?``:`<h2>Notices</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}async function j(r,i){let{store:a,cwd:s}=await b(i),{session:c}=await f(a,r),l=d(c.take()),u=i.format===`html`?x(l):g(l);if(i.out===void 0)return t(u),y.ok;try{e(o(s,i.out),u)}catch(e){throw new v(`the report cannot be written: ${e.message}`)}return i.quiet||n(`${o(s,i.out)}\n`),y.ok}export{j as reportCommand};