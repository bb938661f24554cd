import"./rolldown-runtime.js";import{Ci as e,Fi as t,Mi as n,Si as r,Ui as i,li as a,ui as o,vi as s}from"./core.js";function c({request:e,endpoint:r,environment:i}){if(r===void 0)return;let a=r.variable===`ANTHROPIC_API_KEY`,o=e.model?.replace(/^(anthropic|openai)\//,``)??n(a?`anthropic`:`openai`)??``,{window:s,output:c}=t(o),l=i.OPENAI_BASE_URL?`openai-completions`:`openai-responses`,u={id:o,name:o,reasoning:e.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0}};return{baseUrl:r.baseUrl,apiKey:r.key,api:a?`anthropic-messages`:l,models:[{...u,contextWindow:s,maxTokens:c}]}}const l=t=>({[u]:JSON.stringify({provider:c(t),server:t.server&&e(t.server)})}),u=`UNTIL_GREEN_PI_EXTENSION`,d=`export default async function (pi: any) {
  const { provider, server } = JSON.parse(process.env.${u} ?? "{}");
  delete process.env.${u};
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
`,f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(e){let{request:t,session:n,server:r,scratch:l,extra:u,heeds:p,environment:m,context:h}=e,{instructions:g,settings:_={}}=t,v=s(t,f),y=c(e)?.models[0].id??t.model;return[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,l.write(`until-green.ts`,d),`--session-dir`,i(a(m),o(h.workspace)),...p?[]:[`--no-context-files`],...e.endpoint===void 0?[]:[`--provider`,`until-green`],...y===void 0?[]:[`--model`,y],..._.effort===void 0?[]:[`--thinking`,_.effort],...v===void 0?[]:[`--tools`,[...v,...r?.tools??[]].join(`,`)],...g===void 0||g===``?[]:[`--append-system-prompt`,l.write(`instructions.md`,g)],...n.goesOn?[`--session`,n.id]:[],...u]}const m=e=>({...r(e.environment,/^PI_CODING_AGENT_DIR$/),PI_SKIP_VERSION_CHECK:`1`,PI_TELEMETRY:`0`,...l(e)});export{p as argsOf,m as envOf};