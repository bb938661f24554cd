import"./rolldown-runtime.js";import{Bi as e,Hi as t,Na as n,Pa as r,Ri as i,Ui as a,Wi as o,po as s,qo as c,sa as l,ua as u,zi as d}from"./core.js";const f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(e){let{request:t,server:i,scratch:a,context:o}=e,c=m(e),d=l(t,f),p=i?.tools.map(({name:e})=>e)??[];return a.write(`given.json`,JSON.stringify({provider:c,server:i})),[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,a.write(`until-green.ts`,`import { readFileSync } from "node:fs";
export default function (pi: any) {
  const given = new URL("./given.json", import.meta.url);
  const { provider, server } = JSON.parse(readFileSync(given, "utf8"));
  if (provider) pi.registerProvider("until-green", provider);
  for (const { name, description, schema: parameters } of server?.tools ?? []) {
    const execute = async (_: string, input: object) => {
      const params = { name, arguments: input };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const headers = { authorization: "Bearer " + server.key, "content-type": "application/json" };
      const response = await fetch(server.url, { method: "POST", headers, body });
      const { result, error } = (await response.json()) as any;
      if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
      return { content: result.content, details: {} };
    };
    pi.registerTool({ name, label: name, description, parameters, execute });
  }
}
`),`--session-dir`,s(e.home,`sessions`,u(o.workspace)),...r(`--provider`,c&&`until-green`),...r(`--model`,c?.models[0].id??t.model),...r(`--tools`,d&&[...d,...p].join(`,`)),...n(e,{effort:`--thinking`,efforts:[`minimal`,`low`,`medium`,`high`,`xhigh`,`max`],instructions:`--append-system-prompt`,ignoreInstructions:`--no-context-files`,resume:`--session`})]}function m(e){let t=d(e);if(t===void 0)return;let{id:n,provider:r,baseUrl:i,key:a,window:o,output:s}=t,c=e.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:i,apiKey:a,api:r===`anthropic`?`anthropic-messages`:c,models:[{id:n,name:n,reasoning:e.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:o,maxTokens:s}]}}const h=n=>e(n,{session:(e,t)=>t.began(a(e,`id`)),message_update(e,n){let r=t(e,`assistantMessageEvent`);r?.type===`text_delta`&&n.piece(a(r,`delta`))},message_end(e,n){let r=t(e,`message`);if(r?.role!==`assistant`)return;let s=a(r,`stopReason`),l=s===`error`?a(r,`errorMessage`):void 0;n.ended=s===`stop`||s===`length`,n.trouble=l===void 0?void 0:{fault:`crash`,message:l},n.usage=c(o(t(r,`usage`),g),n.usage);let{text:u}=i(r);(u!==``||s===`stop`)&&n.whole(u)},tool_execution_start:(e,t)=>t.tool(a(e,`toolName`),e.args)}),g={input:`input`,output:`output`,cacheRead:`cacheRead`,cacheWrite:`cacheWrite`};export{p as argsOf,h as readerOf};