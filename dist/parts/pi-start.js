import"./rolldown-runtime.js";import{Hi as e,Ko as t,Li as n,Ma as r,Na as i,Ri as a,Ui as o,Vi as s,fo as c,la as l,oa as u,zi as d}from"./core.js";const f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(e){let{request:t,server:n,scratch:a,context:o}=e,s=m(e),d=u(t,f),p=n?.tools.map(({name:e})=>e)??[];return a.write(`given.json`,JSON.stringify({provider:s,server:n})),[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,a.write(`until-green.ts`,`import { readFileSync } from "node:fs";
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
`),`--session-dir`,c(e.home,`sessions`,l(o.workspace)),...i(`--provider`,s&&`until-green`),...i(`--model`,s?.models[0].id??t.model),...i(`--tools`,d&&[...d,...p].join(`,`)),...r(e,{effort:`--thinking`,efforts:[`minimal`,`low`,`medium`,`high`,`xhigh`,`max`],instructions:`--append-system-prompt`,ignoreInstructions:`--no-context-files`,resume:`--session`})]}function m(e){let t=a(e);if(t===void 0)return;let{id:n,provider:r,baseUrl:i,key:o,window:s,output:c}=t,l=e.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:i,apiKey:o,api:r===`anthropic`?`anthropic-messages`:l,models:[{id:n,name:n,reasoning:e.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:s,maxTokens:c}]}}const h=r=>d(r,{session:(t,n)=>n.began(e(t,`id`)),message_update(t,n){let r=s(t,`assistantMessageEvent`);r?.type===`text_delta`&&n.piece(e(r,`delta`))},message_end(r,i){let a=s(r,`message`);if(a?.role!==`assistant`)return;let c=e(a,`stopReason`),l=c===`error`?e(a,`errorMessage`):void 0;i.ended=c===`stop`||c===`length`,i.trouble=l===void 0?void 0:{fault:`crash`,message:l},i.usage=t(o(s(a,`usage`),g),i.usage);let{text:u}=n(a);(u!==``||c===`stop`)&&i.whole(u)},tool_execution_start:(t,n)=>n.tool(e(t,`toolName`),t.args)}),g={input:`input`,output:`output`,cacheRead:`cacheRead`,cacheWrite:`cacheWrite`};export{p as argsOf,h as readerOf};