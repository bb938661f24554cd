import{n as e,r as t}from"./page.js";import{r as n}from"./escape.js";import{c as r,d as i,i as a,o,s,u as c}from"./follow.js";import{n as l,r as u,t as d}from"./iterations.js";import{a as f}from"./log.js";import{n as p,r as m}from"./exit.js";import{t as h}from"./world.js";import{writeFileSync as g}from"node:fs";import{resolve as _}from"node:path";function v(e){let t=n(s(e));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${t}</title>
<style>${y}</style>
</head>
<body>
<main>
${b(e,t).filter(e=>e!==``).join(`
`)}
</main>
</body>
</html>
`}const y=`
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
`;function b(e,t){let r=e.because===void 0?``:`<p>${n(e.because)}</p>`,a=e.agent===void 0?[]:[`agent <code>${n(e.agent)}</code>`],o=[`Run <code>${n(e.run)}</code>`,...a,...c(e)].join(` · `),s=e.loops.left===0?``:`<p>… ${e.loops.left} more loops</p>`;return[`<h1>${t}</h1>`,r,`<p class="facts">${o}</p>`,...S(e),...i(e.loops).map(C),s,E(e),D(e),e.output===``?``:`<details><summary>Last output</summary>${x(e.output)}</details>`]}const x=e=>`<pre>${n(e)}</pre>`;function S(e){return e.gates.map(r=>{let i=t(e,r,`terminal`),a=i.length===0?``:`<p>Answer with one of:</p>\n${x(i.join(`
`))}`;return`<section class="gate"><h2>Waiting for a person at <code>${n(r.path)}</code></h2>
${x(r.message)}
${a}</section>`})}function C(e){let t=d(e),i=t.length===0?``:`<p>Failing tests: ${l(t)}</p>\n${T(t)}`;return`<section><h2><code>${n(e.node)}</code>: ${n(r(e))}</h2>
<div class="scroll">${w(u(e))}</div>
${i}</section>`}function w(e){let t=(t,r)=>r.map((r,i)=>`<${t}${e.columns[i]?.align===`right`?` class="right"`:``}>${n(r)}</${t}>`).join(``);return`<table>\n<thead><tr>${t(`th`,e.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${e.rows.map(e=>`<tr>${t(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function T(e){let t=Math.max(1,...e.map(e=>e.value??0)),r=({label:e,value:r=0},i)=>{let a=r===0?1:Math.max(2,Math.round(r/t*100)),o=`<title>${n(e)}: ${r}</title>`;return`<rect x="${i*10}" y="${100-a}" width="8" height="${a}">${o}</rect>`},i=e.map((e,t)=>e.value===void 0?``:r(e,t)).join(``);return`<svg ${`viewBox="0 0 ${e.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${l(e)}">${i}</svg>`}function E(e){let t=i(e.messages).map(e=>`<li>${n(`${o(e)}: ${e.text}`)}</li>`);return t.length===0?``:`<h2>Messages</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}function D(e){let t=i(e.notices).map(e=>{let t=e.file===void 0?``:` (${[e.file,e.line].filter(Boolean).join(`:`)})`;return`<li><code>${n(e.code)}</code> ${n(e.message+t)}</li>`});return t.length===0?``:`<h2>Notices</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}async function O(t,n){let{store:r,cwd:i}=await h(n),{session:o}=await f(r,t),s=a(o.take()),c=n.format===`html`?v(s):e(s);if(n.out===void 0)return process.stdout.write(c),m.ok;try{g(_(i,n.out),c)}catch(e){throw new p(`the report cannot be written: ${e.message}`)}return n.quiet||process.stderr.write(`${_(i,n.out)}\n`),m.ok}export{O as reportCommand};