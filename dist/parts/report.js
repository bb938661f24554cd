import{n as e,t}from"./page.js";import{c as n,n as r,r as i,t as a}from"./iterations.js";import{f as o,g as s,h as c,p as l,r as u,u as d}from"./log.js";import{n as f,r as p}from"./exit.js";import{t as m}from"./world.js";import{writeFileSync as h}from"node:fs";import{resolve as g}from"node:path";function _(e){let t=n(o(e));return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${t}</title>
<style>${v}</style>
</head>
<body>
<main>
${y(e,t).filter(e=>e!==``).join(`
`)}
</main>
</body>
</html>
`}const v=`
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
`;function y(e,t){let r=e.because===void 0?``:`<p>${n(e.because)}</p>`,i=e.agent===void 0?[]:[`agent <code>${n(e.agent)}</code>`],a=[`Run <code>${n(e.run)}</code>`,...i,...c(e)].join(` · `),o=e.loops.left===0?``:`<p>… ${e.loops.left} more loops</p>`;return[`<h1>${t}</h1>`,r,`<p class="facts">${a}</p>`,...x(e),...s(e.loops).map(S),o,T(e),e.output===``?``:`<details><summary>Last output</summary>${b(e.output)}</details>`]}const b=e=>`<pre>${n(e)}</pre>`;function x(t){return t.gates.map(r=>{let i=e(t,r,`terminal`),a=i.length===0?``:`<p>Answer with one of:</p>\n${b(i.join(`
`))}`;return`<section class="gate"><h2>Waiting for a person at <code>${n(r.path)}</code></h2>
${b(r.message)}
${a}</section>`})}function S(e){let t=a(e),o=t.length===0?``:`<p>Failing tests: ${r(t)}</p>\n${w(t)}`;return`<section><h2><code>${n(e.node)}</code>: ${n(l(e))}</h2>
<div class="scroll">${C(i(e))}</div>
${o}</section>`}function C(e){let t=(t,r)=>r.map((r,i)=>`<${t}${e.columns[i]?.align===`right`?` class="right"`:``}>${n(r)}</${t}>`).join(``);return`<table>\n<thead><tr>${t(`th`,e.columns.map(e=>e.title))}</tr></thead>\n<tbody>\n${e.rows.map(e=>`<tr>${t(`td`,e)}</tr>`).join(`
`)}\n</tbody>\n</table>`}function w(e){let t=Math.max(1,...e.map(e=>e.value??0)),i=({label:e,value:r=0},i)=>{let a=r===0?1:Math.max(2,Math.round(r/t*100)),o=`<title>${n(e)}: ${r}</title>`;return`<rect x="${i*10}" y="${100-a}" width="8" height="${a}">${o}</rect>`},a=e.map((e,t)=>e.value===void 0?``:i(e,t)).join(``);return`<svg ${`viewBox="0 0 ${e.length*10} 100" preserveAspectRatio="none"`} role="img" aria-label="Failing tests by iteration: ${r(e)}">${a}</svg>`}function T(e){let t=s(e.notices).map(e=>{let t=e.file===void 0?``:` (${[e.file,e.line].filter(Boolean).join(`:`)})`;return`<li><code>${n(e.code)}</code> ${n(e.message+t)}</li>`});return t.length===0?``:`<h2>Notices</h2>\n<ul>\n${t.join(`
`)}\n</ul>`}async function E(e,n){let{store:r,cwd:i}=await m(n),{session:a}=await u(r,e),o=d(a.take()),s=n.format===`html`?_(o):t(o);if(n.out===void 0)return process.stdout.write(s),p.ok;try{h(g(i,n.out),s)}catch(e){throw new f(`the report cannot be written: ${e.message}`)}return n.quiet||process.stderr.write(`${g(i,n.out)}\n`),p.ok}export{E as reportCommand};