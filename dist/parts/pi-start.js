import"./rolldown-runtime.js";import{Ho as e,pa as t,po as n}from"./core.js";import{a as r,i,o as a,t as o}from"./event-reader.js";import{n as s,t as c}from"./flags.js";import{t as l}from"./leased-model.js";import{n as u}from"./message-forms.js";import{i as d}from"./tool-limits.js";const f=e=>({args:m(e),env:{PI_SKIP_VERSION_CHECK:`1`,PI_TELEMETRY:`0`},...g(e)}),p={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function m(e){let{request:r,server:i,scratch:a,context:o}=e,l=h(e),u=d(r,p),f=i?.tools.map(({name:e})=>e)??[];return a.write(`given.json`,JSON.stringify({provider:l,server:i})),[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,a.write(`until-green.ts`,`import { readFileSync } from "node:fs";
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
`),`--session-dir`,n(e.home,`sessions`,t(o.workspace)),...s(`--provider`,l&&`until-green`),...s(`--model`,l?.models[0].id??r.model),...s(`--tools`,u&&[...u,...f].join(`,`)),...c(e,{effort:`--thinking`,efforts:[`minimal`,`low`,`medium`,`high`,`xhigh`,`max`],instructions:`--append-system-prompt`,ignoreInstructions:`--no-context-files`,resume:`--session`})]}function h(e){let t=l(e);if(t===void 0)return;let{id:n,provider:r,baseUrl:i,key:a,window:o,output:s}=t,c=e.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:i,apiKey:a,api:r===`anthropic`?`anthropic-messages`:c,models:[{id:n,name:n,reasoning:e.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:o,maxTokens:s}]}}const g=t=>o(t,{session:(e,t)=>t.began(r(e,`id`)),message_update(e,t){let n=i(e,`assistantMessageEvent`);n?.type===`text_delta`&&t.piece(r(n,`delta`))},message_end(t,n){let o=i(t,`message`);if(o?.role!==`assistant`)return;let s=r(o,`stopReason`),c=s===`error`?r(o,`errorMessage`):void 0;n.ended=s===`stop`||s===`length`,n.trouble=c===void 0?void 0:{fault:`crash`,message:c},n.usage=e(a(i(o,`usage`),_),n.usage);let{text:l}=u(o);(l!==``||s===`stop`)&&n.whole(l)},tool_execution_start:(e,t)=>t.tool(r(e,`toolName`),e.args)}),_={input:`input`,output:`output`,cacheRead:`cacheRead`,cacheWrite:`cacheWrite`};export{f as begin};