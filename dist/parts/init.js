import{n as e,t}from"./exit.js";import{dirname as n,join as r,resolve as i}from"node:path";import{existsSync as a,mkdirSync as o,writeFileSync as s}from"node:fs";const c=`.github/loops/fix-tests.yml`;async function l(l){let u=i(l.cwd??`.`,c);if(a(u))throw new t(`${c} is there already; nothing was changed`);return o(n(u),{recursive:!0}),s(u,`name: fix-tests
description: Fix the failing tests one at a time
nodes:
  - id: fix
    loop:
      prompt: |
        Run the tests, pick one failure, and fix its cause in the source.
        Do not change the tests.
        What the tests said last: $LOOP_CHECK_OUTPUT
      until_bash: npm test
      max_iterations: 8
      fresh_context: true
      check: { baseline: true, timeout: 10m }
      protect: ["test/**"]
      no_progress: 3
`,{flag:`wx`}),process.stderr.write(`wrote ${r(l.cwd??`.`,c)}\nnext: set until_bash to your test command, then\n  until-green run fix-tests --agent command:"your-agent"\n`),e.ok}export{l as initCommand};