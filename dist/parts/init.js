import{I as e,h as t,o as n}from"./base.js";import{Ca as r,Un as i,_a as a,ba as o}from"./core.js";import{n as s,r as c}from"./exit.js";const l=`.github/loops/fix-tests.yml`;async function u(u){let d=r(u.cwd??`.`,l);if(t(d))throw new s(`${l} is there already; nothing was changed`);try{i(a(d)),e(d,`# yaml-language-server: $schema=https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json
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
`,{flag:`wx`})}catch(e){throw new s(`${l} cannot be written: ${e.message}`)}return n(`wrote ${o(u.cwd??`.`,l)}\nnext: set until_bash to your test command, then\n  until-green run fix-tests --agent command:"your-agent"\n`),c.ok}export{u as initCommand};