import"./rolldown-runtime.js";import{Bi as e,Ki as t,Oi as n}from"./core.js";import{t as r}from"./leased-model.js";function i(e){let t=r(e);if(t===void 0)return;let{id:n,provider:i,baseUrl:a,key:o,window:s,output:c}=t,l=e.environment.OPENAI_BASE_URL?`openai-completions`:`openai-responses`;return{baseUrl:a,apiKey:o,api:i===`anthropic`?`anthropic-messages`:l,models:[{id:n,name:n,reasoning:e.request.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0},contextWindow:s,maxTokens:c}]}}const a=e=>({[o]:JSON.stringify({provider:i(e),server:e.server&&t(e.server)})}),o=`UNTIL_GREEN_PI_EXTENSION`,s=`export default async function (pi: any) {
  const { provider, server } = JSON.parse(process.env.${o} ?? "{}");
  delete process.env.${o};
  if (provider) pi.registerProvider("until-green", provider);
  if (!server) return;
  async function ask(method: string, params: object) {
    const headers = { ...server.headers, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(server.url, { method: "POST", headers, body });
    const { result, error } = (await response.json()) as any;
    if (error) throw new Error(error.message);
    return result;
  }
  for (const { name, description, inputSchema } of (await ask("tools/list", {})).tools)
    pi.registerTool({
      name,
      label: name,
      description,
      parameters: inputSchema,
      async execute(_: string, params: object) {
        const { content, isError } = await ask("tools/call", { name, arguments: params });
        if (isError) throw new Error(content[0].text);
        return { content, details: {} };
      },
    });
}
`,c={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function l(e,t){let{request:r,session:a,server:o,scratch:l,extra:u,heeds:d}=e,{instructions:f,settings:p={}}=r,m=n(r,c),h=i(e)?.models[0].id??r.model;return[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,l.write(`until-green.ts`,s),`--session-dir`,t,...d?[]:[`--no-context-files`],...e.endpoint===void 0?[]:[`--provider`,`until-green`],...h===void 0?[]:[`--model`,h],...p.effort===void 0?[]:[`--thinking`,p.effort],...m===void 0?[]:[`--tools`,[...m,...o?.tools??[]].join(`,`)],...f===void 0||f===``?[]:[`--append-system-prompt`,l.write(`instructions.md`,f)],...a.goesOn?[`--session`,a.id]:[],...u]}const u=t=>({...e(t.environment,/^PI_CODING_AGENT_DIR$/),PI_SKIP_VERSION_CHECK:`1`,PI_TELEMETRY:`0`,...a(t)});export{l as argsOf,u as envOf};