import"./rolldown-runtime.js";import{Aa as e,Bi as t,Fi as n,Ii as r,Li as i,Uo as a,Vi as o,ia as s,ja as c,sa as l,uo as u,zi as d}from"./core.js";const f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(t){let{request:n,server:r,scratch:i,context:a}=t,o=m(t),d=s(n,f),p=r?.tools.map(({name:e})=>e)??[];return i.write(`given.json`,JSON.stringify({provider:o,server:r})),[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,i.write(`until-green.ts`,`import { readFileSync } from "node:fs";
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
`),`--session-dir`,u(t.home,`sessions`,l(a.workspace)),...c(`--provider`,o&&`until-green`),...c(`--model`,o?.models[0].id??n.model),...c(`--tools`,d&&[...d,...p].join(`,`)),...e(t,{effort:`--thinking`,efforts:[`minimal`,`low`,`medium`,`high`,`xhigh`,`max`],instructions:`--append-system-prompt`,ignoreInstructions:`--no-context-files`,resume:`--session`})]}function m(e){let t=r(e);if(t===void 0)return;let{id:n,provider:i,baseUrl:a,key:o,window:s,output:c}=t,l=e.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:a,apiKey:o,api:i===`anthropic`?`anthropic-messages`:l,models:[{id:n,name:n,reasoning:e.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:s,maxTokens:c}]}}const h=e=>i(e,{session:(e,n)=>n.began(t(e,`id`)),message_update(e,n){let r=d(e,`assistantMessageEvent`);r?.type===`text_delta`&&n.piece(t(r,`delta`))},message_end(e,r){let i=d(e,`message`);if(i?.role!==`assistant`)return;let s=t(i,`stopReason`),c=s===`error`?t(i,`errorMessage`):void 0;r.ended=s===`stop`||s===`length`,r.trouble=c===void 0?void 0:{fault:`crash`,message:c},r.usage=a(o(d(i,`usage`),g),r.usage);let{text:l}=n(i);(l!==``||s===`stop`)&&r.whole(l)},tool_execution_start:(e,n)=>n.tool(t(e,`toolName`),e.args)}),g={input:`input`,output:`output`,cacheRead:`cacheRead`,cacheWrite:`cacheWrite`};export{p as argsOf,h as readerOf};