import{i as e,n as t,r as n}from"./page.js";import{r}from"./escape.js";import{c as i,d as a,i as o,o as s,s as c,u as l}from"./follow.js";import{n as u,r as d,t as f}from"./iterations.js";import{a as p}from"./log.js";import{n as m,r as h}from"./exit.js";import{t as g}from"./world.js";import{writeFileSync as _}from"node:fs";import{resolve as v}from"node:path";function y(e){let t=r(c(e));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${t}</title>
<style>${b}</style>
</head>
<body>
<main>
${x(e,t).filter(e=>e!==``).join(`
`)}
</main>
</body>
</html>
`}const b=`
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
`;function x(e,t){let n=e.because===void 0?``:`<p>${r(e.because)}</p>`,i=e.agent===void 0?[]:[`agent <code>${r(e.agent)}</code>`],o=[`Run <code>${r(e.run)}</code>`,...i,...l(e)].join(` · `),s=e.loops.left===0?``:`<p>… ${e.loops.left} more loops</p>`;return[`<h1>${t}</h1>`,n,`<p class="facts">${o}</p>`,...C(e),...a(e.loops).map(t=>w(t,e.state)),s,D(e),O(e),e.output===``?``:`<details><summary>Last output</summary>${S(e.output)}</details>`]}const S=e=>`<pre>${r(e)}</pre>`;function C(t){return t.gates.map(i=>{let a=e(t,i,`terminal`),o=a.length===0?``:`<p>Answer with one of:</p>\n${S(a.join(`
`))}`;return`<section class="gate"><h2>Waiting for a person at <code>${r(i.path)}</code></h2>
${S(n(i,t.run))}
${o}</section>`})}function w(e,t){let n=f(e),a=n.length===0?``:`<p>Failing tests: ${u(n)}</p>\n${E(n)}`;return`<section><h2><code>${r(e.node)}</code>: ${r(i(e,t))}</h2>
<div class="scroll">${T(d(e))}</div>
${a}</section>`}function T(e){let t=(t,n)=>n.map((n,i)=>`<${t}${e.columns[i]?.align===`right`?` class="right"`:``}>${r(n)}</${t}>`).join(``);return`<table>\n<thead><tr>${t(`th`,e.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${e.rows.map(e=>`<tr>${t(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function E(e){let t=Math.max(1,...e.map(e=>e.value??0)),n=({label:e,value:n=0},i)=>{let a=n===0?1:Math.max(2,Math.round(n/t*100)),o=`<title>${r(e)}: ${n}</title>`;return`<rect x="${i*10}" y="${100-a}" width="8" height="${a}">${o}</rect>`},i=e.map((e,t)=>e.value===void 0?``:n(e,t)).join(``);return`<svg ${`viewBox="0 0 ${e.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${u(e)}">${i}</svg>`}function D(e){let t=a(e.messages).map(e=>`<li>${r(`${s(e)}: ${e.text}`)}</li>`);return t.length===0?``:`<h2>Messages</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}function O(e){let t=a(e.notices).map(e=>{let t=e.file===void 0?``:` (${[e.file,e.line].filter(Boolean).join(`:`)})`;return`<li><code>${r(e.code)}</code> ${r(e.message+t)}</li>`});return t.length===0?``:`<h2>Notices</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}async function k(e,n){let{store:r,cwd:i}=await g(n),{session:a}=await p(r,e),s=o(a.take()),c=n.format===`html`?y(s):t(s);if(n.out===void 0)return process.stdout.write(c),h.ok;try{_(v(i,n.out),c)}catch(e){throw new m(`the report cannot be written: ${e.message}`)}return n.quiet||process.stderr.write(`${v(i,n.out)}\n`),h.ok}export{k as reportCommand};