/** The style of a run's page, light and dark. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6edf3); --faint: light-dark(#59636e, #9198a1);
  --line: light-dark(#d8dee4, #30363d); --ground: light-dark(#f6f8fa, #0d1117); --card: light-dark(#ffffff, #151b23);
  --good: light-dark(#1a7f37, #3fb950); --bad: light-dark(#cf222e, #f85149); --wait: light-dark(#9a6700, #d29922);
  --run: light-dark(#0969da, #4493f8); --calm: light-dark(#6e7781, #8b949e); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 system-ui, "Liberation Sans", sans-serif; }
main { max-width: 58rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
a { color: var(--run); text-decoration: none; } a:hover { text-decoration: underline; }
p { margin: .3rem 0; } small, .faint { color: var(--faint); font-weight: 400; font-size: .9em; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: .4rem 0 1rem; } h1 small { font-size: .62em; }
h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
code, pre { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .88em; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; margin: .6rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow: auto; }
.pill { display: inline-block; border-radius: 2em; padding: .1em .75em; font-size: .58em; font-weight: 600;
  vertical-align: .25em; margin-right: .4em; color: light-dark(#fff, #0d1117); background: var(--tone); }
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .wait { --tone: var(--wait); }
.run { --tone: var(--run); } .calm { --tone: var(--calm); }
.because { color: var(--faint); margin: -.6rem 0 1rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 0 0 1.25rem; }
.tiles div, section, details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tiles div { padding: .45rem .9rem; min-width: 6rem; }
.tiles dt { color: var(--faint); font-size: .78em; } .tiles dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
section, details { padding: 1.1rem 1.25rem; margin: 0 0 1rem; } summary { cursor: pointer; font-weight: 600; }
blockquote { margin: .6rem 0; padding: .1rem .9rem; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
section details { border: 0; padding: 0; margin: .6rem 0 0; background: none; } section summary { font-weight: 400; color: var(--faint); }
.gate { border-color: var(--wait); box-shadow: inset 4px 0 0 var(--wait); }
section > :last-child, details > :last-child { margin-bottom: 0; }
figure { margin: 0 0 1.25rem; } figcaption { color: var(--faint); font-size: .85em; margin-top: .3rem; }
svg { display: block; height: 3.2rem; max-width: 100%; fill: var(--bad); opacity: .85; }
.line { list-style: none; margin: 0; padding: 0; }
.line > li { position: relative; padding: 0 0 1.1rem 1.7rem; }
.line > li::before { content: ""; position: absolute; left: 0; top: .38rem; width: .78rem; height: .78rem;
  border-radius: 50%; background: var(--tone, var(--line)); }
.line > li:not(:last-child)::after { content: ""; position: absolute; left: .34rem; top: 1.4rem; bottom: 0; width: 2px;
  background: var(--line); }
.line > li:last-child { padding-bottom: 0; } .line > .gap { color: var(--faint); font-style: italic; }
.line > .run::before { animation: beat 1.6s ease-in-out infinite; }
@keyframes beat { 50% { box-shadow: 0 0 0 .35rem color-mix(in srgb, var(--run) 25%, transparent); } }
@media (prefers-reduced-motion: reduce) { .line > .run::before { animation: none; } }
.row { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; }
.facts { color: var(--faint); flex: 1; } time { color: var(--faint); font-variant-numeric: tabular-nums; }
@media (max-width: 40rem) { main { padding: 2rem .9rem; } .row { justify-content: space-between; } .facts { order: 1; flex: 1 0 100%; } }
ins { color: var(--good); text-decoration: none; } del { color: var(--bad); text-decoration: none; }
.stop { font-size: .92em; overflow-wrap: anywhere; }
#live { position: absolute; right: 1rem; top: .9rem; margin: 0; font-size: .82em; color: var(--faint); background: var(--card);
  border: 1px solid var(--line); border-radius: 2em; padding: .15rem .8rem; }
#live[data-now=live]::before { content: "● "; color: var(--good); } #live[data-now=lost]::before { content: "● "; color: var(--wait); }
`;
