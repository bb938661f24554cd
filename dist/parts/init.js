import{n as e,r as t}from"./exit.js";import{existsSync as n,mkdirSync as r,writeFileSync as i}from"node:fs";import{dirname as a,join as o,resolve as s}from"node:path";const c=`.github/loops/fix-tests.yml`;async function l(l){let u=s(l.cwd??`.`,c);if(n(u))throw new e(`${c} is there already; nothing was changed`);return r(a(u),{recursive:!0}),i(u,`# yaml-language-server: $schema=https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json
name: fix-tests
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
`,{flag:`wx`}),process.stderr.write(`wrote ${o(l.cwd??`.`,c)}\nnext: set until_bash to your test command, then\n  until-green run fix-tests --agent command:"your-agent"\n`),t.ok}export{l as initCommand};