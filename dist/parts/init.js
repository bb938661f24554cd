import"./rolldown-runtime.js";import{L as e,T as t,V as n,Y as r,o as i,z as a}from"./base.js";import{Ft as o,G as s,Yn as c,ca as l,da as u,fr as d,gi as f,ma as p,oa as m,pa as h,wt as ee,xi as te}from"./core.js";import{g,h as _}from"./local-run.js";import{n as v,t as y}from"./choose.js";function b(n,r=n){let i=(e,a=n)=>t(u(a,e))?h(r,u(a,e)):a===r||a===l(a)?void 0:i(e,l(a));return{has:e=>t(u(n,e)),find:e=>i(e),read(t){try{return e(u(n,t),`utf8`)}catch{return``}},names(e=``){try{return a(u(n,e))}catch{return[]}},folders(e){try{return a(u(n,e),{withFileTypes:!0}).filter(e=>e.isDirectory()).map(e=>e.name)}catch{return[]}}}}function x(e){let t=C(e.read(`package.json`)),n=t?.scripts?.test??``;if(n.trim()===``||/no test specified/.test(n))return;let r=re(e,t?.packageManager??``);return{tool:r,check:`${r} test`,install:ne[r](e),setup:[ie(e),...r===`npm`?[]:[`- run: corepack enable`]]}}const ne={npm:({find:e})=>e(`package-lock.json`)?`npm ci`:`npm install`,pnpm:({find:e})=>e(`pnpm-lock.yaml`)?`pnpm install --frozen-lockfile`:`pnpm install`,yarn:({find:e})=>e(`.yarnrc.yml`)?`yarn install --immutable`:e(`yarn.lock`)?`yarn install --frozen-lockfile`:`yarn install`},S=[[`pnpm-lock.yaml`,`pnpm`],[`yarn.lock`,`yarn`],[`package-lock.json`,`npm`]];function re({has:e,find:t},n){let[r]=n.split(`@`);return r===`pnpm`||r===`yarn`||r===`npm`?r:(S.find(([t])=>e(t))??S.find(([e])=>t(e)!==void 0))?.[1]??`npm`}function ie({find:e}){let t=e(`.nvmrc`);return`- uses: actions/setup-node@v5\n  with:\n    ${t===void 0?`node-version: 24`:`node-version-file: ${t}`}`}function C(e){try{return JSON.parse(e)}catch{return}}function w({has:e,find:t}){if(e(`go.mod`))return{tool:`go`,check:`go test ./...`,install:void 0,setup:[`- uses: actions/setup-go@v6\n  with:\n    go-version-file: ${t(`go.mod`)}`]}}function T({has:e,read:t}){if(e(`Cargo.toml`))return{tool:`cargo`,check:/^\[workspace/m.test(t(`Cargo.toml`))?`cargo test --workspace`:`cargo test`,install:void 0,setup:[`- run: rustup toolchain install stable --profile minimal`],note:`tests inside src/ cannot be protected from the agent without protecting the source; those in tests/ are`}}function E({has:e}){if(e(`pom.xml`))return{tool:`maven`,check:e(`mvnw`)?`./mvnw -B -ntp test`:`mvn -B -ntp test`,install:void 0,setup:[A]}}function D({has:e}){if([`settings.gradle`,`settings.gradle.kts`,`build.gradle`,`build.gradle.kts`].some(e))return{tool:`gradle`,check:e(`gradlew`)?`./gradlew test`:`gradle test`,install:void 0,setup:[A]}}function O({has:e}){if(!e(`Gemfile`))return;let t=e(`.rspec`)||e(`spec`);return{tool:t?`rspec with bundler`:`rake with bundler`,check:t?`bundle exec rspec`:`bundle exec rake test`,install:`bundle install`,setup:[`- uses: ruby/setup-ruby@v1
  with:
    bundler-cache: true`]}}function k({has:e,read:t}){let n=[`GNUmakefile`,`Makefile`,`makefile`].find(e);if(n===void 0)return;let r=[`test`,`check`].find(e=>RegExp(`^${e}\\s*:(?!=)`,`m`).test(t(n)));if(r!==void 0)return{tool:`make`,check:`make ${r}`,install:void 0,setup:[]}}const A=`- uses: actions/setup-java@v5
  with:
    distribution: temurin
    java-version: "21"`;function j(e){let t=B(e);if(!M.some(e.has)&&t.length===0)return;let n=z(e,t),r=I(e),i=n?`pytest -q`:`unittest`,a=n&&r.prefix!==``?i:`python3 -m ${i}`,o=n?`pytest`:`unittest`;return{tool:r.name===`pip`?o:`${o} with ${r.name}`,check:`${r.prefix}${a}`,install:r.install(e,n),setup:[V(e),...r.setup]}}const M=[`pyproject.toml`,`setup.py`,`setup.cfg`,`requirements.txt`,`pytest.ini`,`tox.ini`,`uv.lock`,`poetry.lock`],N={name:`uv`,prefix:`uv run `,setup:[`- uses: astral-sh/setup-uv@v6`],install:({read:e})=>e(`pyproject.toml`).includes(`[tool.uv.workspace]`)?`uv sync --all-packages`:`uv sync`},P={name:`poetry`,prefix:`poetry run `,setup:[`- run: pipx install poetry`],install:()=>`poetry install`},F={name:`pip`,prefix:``,setup:[],install(e,t){let n=L(e).map(e=>`-r ${e}`),r=[`pyproject.toml`,`setup.py`].some(e.has)?[`-e .`]:[],i=t&&!/pytest/i.test(R(e))?[`pytest`]:[],a=[...n,...r,...i];return a.length===0?`python3 --version`:`python3 -m pip install ${a.join(` `)}`}};function I({has:e,find:t,read:n}){if(e(`uv.lock`))return N;let r=n(`pyproject.toml`);return e(`poetry.lock`)||/^\[tool\.poetry|poetry\.core/m.test(r)?P:t(`uv.lock`)||r.includes(`[tool.uv`)?N:F}const L=({names:e})=>e().filter(e=>/^requirements([-_.](dev|test|tests))?\.txt$/.test(e)).sort(),R=e=>L(e).map(e.read).join(`
`);function z(e,t){let{has:n,read:r}=e,i=[`pyproject.toml`,`setup.cfg`,`setup.py`,`tox.ini`,`Pipfile`].map(r).join(`
`);return n(`pytest.ini`)||n(`conftest.py`)||n(`tests/conftest.py`)||/pytest/i.test(i+R(e))?!0:!t.some(e=>/^\s*(import|from) unittest\b/m.test(r(e)))}const B=({names:e})=>[``,`tests`,`test`].flatMap(t=>e(t).filter(e=>/^test_.*\.py$|_test\.py$/.test(e)).map(e=>t===``?e:`${t}/${e}`));function V({find:e}){let t=e(`.python-version`);return`- uses: actions/setup-python@v6\n  with:\n    ${t===void 0?`python-version: "3.13"`:`python-version-file: ${t}`}`}const H=[x,j,w,T,E,D,O,k];function U(e,t=e){let n=b(e,t);for(let e of H){let t=e(n);if(t!==void 0)return t}}function W(e){let t=t=>b(e).folders(t).filter(e=>!e.startsWith(`.`)&&!K.has(e)).slice(0,G).map(e=>t===``?e:`${t}/${e}`).sort();return t(``).flatMap(n=>U(u(e,n))===void 0?t(n).filter(t=>U(u(e,t))!==void 0):[n])}const G=300,K=/* @__PURE__ */ new Set([`node_modules`,`vendor`,`target`,`build`,`dist`,`venv`,`examples`,`fixtures`]);function q({name:e,dir:t,project:n}){return`# yaml-language-server: $schema=https://raw.githubusercontent.com/until-green/until-green/v1/schemas/native.json
name: ${e}
description: Fix the failing tests one at a time
nodes:
  - id: fix
    loop:
      prompt: |
        ${oe(n.check)} fails${t===``?``:` in ${t}`}. Pick one failure and fix its cause in the source.
        Do not change the tests. What the tests printed last:
        $LOOP_CHECK_OUTPUT
      until_bash: ${X(J({dir:t,project:n}))}
      max_iterations: 8
      fresh_context: true
      no_progress: 3
      # Tests and the configuration of their tools are restored before each check: see docs/honest-green.md.
      check: { baseline: true, timeout: 10m }
`}const J=({dir:e,project:t})=>e===``?t.check:`cd ${se(e)} && ${t.check}`;function Y({name:e,dir:t,project:n}){let r=n.install===void 0?[]:[`- run: ${n.install}${t===``?``:`\n  working-directory: ${X(t)}`}`],i=[...n.setup,...r];return`# Runs the loop in .github/loops/${e}.yml and opens a pull request with the fix.
# Needs one secret: CLAUDE_CODE_OAUTH_TOKEN (run \`claude setup-token\`) or ANTHROPIC_API_KEY.
name: ${e}

on:
  workflow_dispatch:

permissions:
  contents: write # the branch with the fix, and the refs that keep the run
  pull-requests: write # the pull request

jobs:
  loop:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v5
        with:
          persist-credentials: false
${i.map(e=>ae(e,6)).join(`
`)}${i.length===0?``:`
`}\
      # Not released yet: pin a commit of until-green/until-green instead of v1.
      - uses: until-green/until-green@v1
        with:
          workflow: ${e}
          agent: claude
          claude-code-oauth-token: \${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}
          anthropic-api-key: \${{ secrets.ANTHROPIC_API_KEY }}
          max-cost-usd: 5
          max-minutes: 50
          publish: pull-request
`}const ae=(e,t)=>e.replace(/^/gm,` `.repeat(t)),oe=e=>`\`${e}\``,X=e=>/^(?!(?:true|false|null|yes|no|on|off)$)[A-Za-z_./][\w./ &=+-]*$/i.test(e)?e:JSON.stringify(e),se=e=>/^[\w./-]+$/.test(e)?e:`'${e.replaceAll(`'`,`'\\''`)}'`;async function ce(e,{cwd:t,install:n}){i(`\nrunning the check once: ${e}\n`);let{how:r,exitCode:a,tail:o}=await f({command:`bash`,args:[`-c`,e],cwd:t,env:te(process.env,{}),timeoutMs:12e4,signal:new AbortController().signal,reap:!0}),c=ee(o);if(i(`${Z({how:r,exitCode:a,failing:c,tail:o})}\n`),a===0)return;let l=s(o).trimEnd().split(`
`).slice(-10);i(l.map(e=>`    ${e}\n`).join(``)),c===void 0&&n!==void 0&&i(`  Are its packages installed? ${n}\n`)}function Z({how:e,exitCode:t,failing:n}){return e===`timed-out`?"  it took longer than 2 minutes and was stopped; raise `check.timeout` if it needs more than 10":e===`not-started`?`  bash could not be started`:t===0?`  ✔ it passes: the loop ends at once until a test fails`:n!==void 0&&n>0?`  ✘ ${o(n,`test`)} failing: work for the loop (exit ${t})`:t===126||t===127?`  ✘ it cannot run (exit ${t})`:`  ✘ exit ${t}; no count of tests was recognised in its output:`}async function le(e){let r=e.quiet?()=>void 0:i,a=n(p(e.cwd??`.`)),o=(await c(a))?.top;o===void 0&&r(fe);let s=o??a,l=p(a,e.dir??`.`);if(!t(l))throw new _(`--dir ${e.dir}: there is no such folder`);let{dir:u,project:d}=await de(s,n(l),e);r(`found ${d.tool}${u===``?``:` in ${u}`}: ${d.check}\n`);let f={name:me(u),dir:u,project:d};return r(ue(s,f)),d.note!==void 0&&r(`note: ${d.note}\n`),e.tryCheck!==!1&&await ce(J(f),{cwd:s,install:d.install}),r(he(f,{root:s,cwd:a,isRepository:o!==void 0})),g.ok}function ue(e,n){let r=`.github/loops/${n.name}.yml`,i=`.github/workflows/${n.name}.yml`;if(t(u(e,r)))throw new _(`${r} exists already; nothing was changed. Run it with until-green run ${n.name}, or delete it and start again`);return $(u(e,r),q(n)),t(u(e,i))?`wrote ${r}\nkept  ${i}, which exists already\n`:($(u(e,i),Y(n)),`wrote ${r}\nwrote ${i}\n`)}async function de(e,t,n){let r=t=>h(e,t).replaceAll(`\\`,`/`),i=U(t,e),a=i===void 0&&n.check===void 0?W(t):[],o=i===void 0&&a.length===0,s=n.check??(o?await y(`Which command runs your tests? `):void 0);if(s!==void 0)return{dir:r(t),project:{...i??Q,check:s}};if(i!==void 0)return{dir:r(t),project:i};if(o)throw new _(pe);let c=a.length===1?a[0]:await v(`Which project?`,a);if(c===void 0)throw new _(`several projects are here; name one: ${a.map(e=>`--dir ${u(n.dir??``,e)}`).join(`, `)}`);let l=u(t,c);return{dir:r(l),project:U(l,e)??{...Q,check:``}}}const Q={tool:`your own check`,install:void 0,setup:[]},fe=`this folder is not a git repository, which a loop needs: run git init
`,pe="no tests were found here (package.json with a `test` script, pyproject.toml or test_*.py, go.mod, Cargo.toml, pom.xml, build.gradle, Gemfile, Makefile with a `test` target); say how they run: --check 'make test', or where they are: --dir packages/api",me=e=>[`fix-tests`,m(e).toLowerCase().replace(/[^a-z0-9]+/g,`-`)].filter(Boolean).join(`-`);function $(e,t){try{d(l(e)),r(e,t,{flag:`wx`})}catch(t){throw new _(`${e} cannot be written: ${t.message}`)}}function he({name:e},{root:t,cwd:n,isRepository:r}){return`\nnext:\n${[...r?[]:[`Begin a repository: git init && git add --all && git commit -m start`],...h(t,n)===``?[]:[`Go to the top of the repository: cd ${h(n,t)}`],`Try it here:    until-green run ${e} --agent claude`,"In GitHub:      gh secret set CLAUDE_CODE_OAUTH_TOKEN   (from `claude setup-token`; or ANTHROPIC_API_KEY)",`                commit both files, push, and start it: gh workflow run ${e}.yml`].map(e=>`  ${e}\n`).join(``)}`}export{le as initCommand};