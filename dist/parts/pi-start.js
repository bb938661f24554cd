import"./rolldown-runtime.js";import{Bi as e,Fa as t,Gi as n,Jo as r,Pa as i,Ui as a,Vi as o,Wi as s,ca as c,da as l,mo as u,zi as d}from"./core.js";const f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(e){let{request:n,server:r,scratch:a,context:o}=e,s=m(e),d=c(n,f),p=r?.tools.map(({name:e})=>e)??[];return a.write(`given.json`,JSON.stringify({provider:s,server:r})),[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,a.write(`until-green.ts`,`import { readFileSync } from "node:fs";
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
`),`--session-dir`,u(e.home,`sessions`,l(o.workspace)),...t(`--provider`,s&&`until-green`),...t(`--model`,s?.models[0].id??n.model),...t(`--tools`,d&&[...d,...p].join(`,`)),...i(e,{effort:`--thinking`,efforts:[`minimal`,`low`,`medium`,`high`,`xhigh`,`max`],instructions:`--append-system-prompt`,ignoreInstructions:`--no-context-files`,resume:`--session`})]}function m(t){let n=e(t);if(n===void 0)return;let{id:r,provider:i,baseUrl:a,key:o,window:s,output:c}=n,l=t.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:a,apiKey:o,api:i===`anthropic`?`anthropic-messages`:l,models:[{id:r,name:r,reasoning:t.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:s,maxTokens:c}]}}const h=e=>o(e,{session:(e,t)=>t.began(s(e,`id`)),message_update(e,t){let n=a(e,`assistantMessageEvent`);n?.type===`text_delta`&&t.piece(s(n,`delta`))},message_end(e,t){let i=a(e,`message`);if(i?.role!==`assistant`)return;let o=s(i,`stopReason`),c=o===`error`?s(i,`errorMessage`):void 0;t.ended=o===`stop`||o===`length`,t.trouble=c===void 0?void 0:{fault:`crash`,message:c},t.usage=r(n(a(i,`usage`),g),t.usage);let{text:l}=d(i);(l!==``||o===`stop`)&&t.whole(l)},tool_execution_start:(e,t)=>t.tool(s(e,`toolName`),e.args)}),g={input:`input`,output:`output`,cacheRead:`cacheRead`,cacheWrite:`cacheWrite`};export{p as argsOf,h as readerOf};