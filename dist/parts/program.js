const e=[`json`,`re`,`math`,`datetime`,`collections`,`itertools`,`hashlib`,`base64`,`time`,`urllib.parse`],t=[`os`,`sys`,`subprocess`,`socket`,`shutil`,`importlib`,`ctypes`,`builtins`,`pathlib`,`io`,`pickle`,`multiprocessing`,`threading`,`signal`,`runpy`],n=[`open`,`eval`,`exec`,`compile`,`getattr`,`setattr`,`delattr`,`globals`,`locals`,`vars`,`input`,`breakpoint`,`__import__`];function r(e,t){let{text:n,faults:r}=a(e);if(r.length>0)return r;let i=[...l(n,t),...d(n),...p(n)];return/^def[ \t]+main[ \t]*\(/m.test(n)||i.push({message:"The code defines no `main(data)`.",offset:0,hint:`Write def main(data): at the left edge.`}),i.sort((e,t)=>e.offset-t.offset)}const i=/#[^\n]*|(?:[rRbBuUfF]{0,2})("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(\1)?|(?:[rRbBuUfF]{0,2})(["'])(?:\\[\s\S]|(?!\3)[^\\\n])*(\3)?|[()[\]{}]/g;function a(e){let t=[],n,r=``,a=0,s=n=>{let i=e.slice(a,n);r+=t.length>0?i.replaceAll(`
`,` `):i,a=n};for(let l of e.matchAll(i)){let[e,i,u,d,f]=l;s(l.index),n??=i&&!u||d&&!f?{message:`A string is not closed.`,offset:l.index}:o(t,{mark:e,offset:l.index}),r+=/^[()[\]{}]$/.test(e)?e:c(e),a+=e.length}s(e.length);let[l]=t;return l&&(n??={message:`This \`${l.mark}\` is never closed.`,hint:`Close it.`,offset:l.offset}),{text:r,faults:n===void 0?[]:[n]}}function o(e,{mark:t,offset:n}){if(/^[([{]$/.test(t)&&e.push({mark:t,offset:n}),/^[)\]}]$/.test(t)&&s[e.pop()?.mark??``]!==t)return{message:`There is no bracket that this \`${t}\` closes.`,offset:n}}const s={"(":`)`,"[":`]`,"{":`}`},c=e=>(e.startsWith(`#`)?` `:`_`).padEnd(e.length,e.startsWith(`#`)?` `:`_`);function l(e,t){let n=[];for(let r of e.matchAll(/(?:^|[;:\n])[ \t]*(?:import[ \t]+([^\n;]+)|from[ \t]+([\w.]+)[ \t]+import\b)/g)){let[e,i,a]=r,o=a===void 0?(i??``).split(`,`).map(e=>e.trim().split(/\s+/)[0]??``):[a];for(let i of o.filter(e=>!u(e,t)))n.push({message:`The code may not import \`${i}\`.`,offset:r.index+e.search(/[a-z]/),hint:`It may import ${t.join(`, `)}.`})}return n}function u(e,n){return!t.includes(e.split(`.`)[0]??``)&&n.some(t=>e===t||e.startsWith(`${t}.`))}function d(e){let t=RegExp(`(?<![\\w.])(?:${n.join(`|`)})(?=[ \\t]*\\()`,`g`),r=[...e.matchAll(t)].map(({0:e,index:t})=>({message:`The code may not call \`${e}\`.`,offset:t})),i=[...e.matchAll(/\.[ \t]*(__\w+__)|(?<!\w)__(?:builtins|loader|spec)__/g)].map(({0:e,1:t=e,index:n})=>({message:`The code may not use \`${t}\`.`,offset:n}));return[...r,...i]}const f=/^(?:async[ \t]+)?(?:def|class|if|elif|else|for|while|try|except|finally|with)\b(?![ \t]*[=.,)\]])/;function p(e){let t=[0],n=!1,r=0,i=!1;for(let a of e.split(`
`)){let e=r;r+=a.length+1;let o=a.trim(),s=i;if(i=o.endsWith(`\\`),o===``||s)continue;let c=(/^[ \t]*/.exec(a)?.[0]??``).replaceAll(`	`,`        `).length,l=m(c,{depths:t,opens:n});if(l!==void 0)return[{message:l,offset:e+a.length-a.trimStart().length}];if(f.test(o)&&!i&&!o.includes(`:`))return[{message:"A `:` is missing at the end of this line.",offset:e+a.indexOf(o)}];n=o.endsWith(`:`)}return n?[{message:`The code ends where a block of lines must follow.`,offset:e.length}]:[]}function m(e,{depths:t,opens:n}){let r=t.at(-1)??0;if(n&&e<=r)return`This line must be indented: it belongs to the one before.`;if(!n&&e>r)return`Unexpected indentation: no line before this one opens a block.`;for(e>r&&t.push(e);e<(t.at(-1)??0);)t.pop();return e===t.at(-1)?void 0:`This indentation matches no line before it.`}const h=`UNTIL_GREEN_DATA`,g=2e5,_=({code:e,allowed:n})=>`import sys
sys.path = [folder for folder in sys.path if folder]
import ast, json, os

CODE = ${JSON.stringify(e)}
ALLOWED = ${JSON.stringify(n)}
NEVER = ${JSON.stringify(t)}
REFUSED = {"open", "eval", "exec", "compile", "getattr", "setattr", "delattr", "globals", "locals", "vars", "input", "breakpoint", "__import__"}

def may_import(name):
    return name.split(".")[0] not in NEVER and any(name == it or name.startswith(it + ".") for it in ALLOWED)

def refusal(node):
    if isinstance(node, ast.Import):
        return next(("import of " + it.name for it in node.names if not may_import(it.name)), None)
    if isinstance(node, ast.ImportFrom) and not may_import(node.module or ""):
        return "import of " + (node.module or ".")
    if isinstance(node, ast.Name) and (node.id in REFUSED or node.id in ("__builtins__", "__loader__", "__spec__")):
        return "use of " + node.id
    if isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr.endswith("__"):
        return "use of " + node.attr
    return None

def stop(line, why):
    sys.stderr.write("CODE_REJECTED line %s: %s\\n" % (line, why))
    sys.exit(1)

try:
    tree = ast.parse(CODE, "code")
except SyntaxError as error:
    stop(error.lineno, error.msg)
for node in ast.walk(tree):
    why = refusal(node)
    if why:
        stop(getattr(node, "lineno", 0), why)

def read():
    path = os.environ.get("${h}_FILE")
    if path is None:
        return json.loads(os.environ.get("${h}", "{}"))
    with open(path, encoding="utf-8") as file:
        return json.load(file)

def outcome(result):
    left = None
    if isinstance(result, dict) and isinstance(result.get("exit_handle"), str):
        left = result["exit_handle"]
        result = {key: value for key, value in result.items() if key != "exit_handle"}
    try:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        return {"output": "Error: the result is no JSON: %s" % error}
    return {"output": text, "exit": left} if left else {"output": text}

def run():
    try:
        names = {"__name__": "block"}
        exec(compile(tree, "code", "exec"), names)
        return outcome(names["main"](DATA))
    except BaseException as error:
        return {"output": "Error: %s: %s" % (type(error).__name__, error), "exit": "error"}

DATA = read()
real = sys.stdout
sys.stdout = sys.stderr
printed = json.dumps(run())
if len(printed) > ${g}:
    printed = json.dumps({"output": "Error: the result is too long: %d characters, and ${g} may be" % len(printed), "exit": "error"})
real.write(printed)
real.flush()
`,v=({code:e})=>`"use strict";
const { readFileSync, writeSync } = require("node:fs");
const path = process.env["${h}_FILE"];
const data = JSON.parse(path === undefined ? (process.env["${h}"] ?? "{}") : readFileSync(path, "utf8"));
for (const word of ["log", "info", "debug"]) console[word] = console.error;

function outcome(result) {
  let exit;
  let value = result;
  if (value !== null && typeof value === "object" && typeof value.exit_handle === "string") {
    ({ exit_handle: exit, ...value } = value);
  }
  const output = typeof value === "string" ? value : JSON.stringify(value ?? null);
  if (output === undefined) return { output: "Error: the result is no JSON" };
  return exit ? { output, exit } : { output };
}

async function run() {
  try {
    const main = new Function(${JSON.stringify(e)} + "\\n;return main;")();
    return outcome(await main(data));
  } catch (error) {
    return { output: "Error: " + (error instanceof Error ? error.name + ": " + error.message : String(error)), exit: "error" };
  }
}

run().then((end) => {
  let printed = JSON.stringify(end);
  if (printed.length > ${g}) {
    printed = JSON.stringify({ output: "Error: the result is too long: " + printed.length + " characters, and ${g} may be", exit: "error" });
  }
  for (let rest = Buffer.from(printed); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
  process.exit(0);
});
`;function y(e){let[,t]=/^CODE = (".*")$/m.exec(e)??/^ {4}const main = new Function\((".*") \+ "\\n;return main;"\)\(\);$/m.exec(e)??[];return t===void 0?void 0:JSON.parse(t)}export{r as a,_ as i,h as n,e as o,v as r,y as t};