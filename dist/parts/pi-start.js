import"./rolldown-runtime.js";import{Ca as e,Qi as t,Ui as n,Wi as r,fa as i,ha as a,na as o,ra as s}from"./core.js";function c({request:e,endpoint:t,environment:n}){if(t===void 0)return;let r=t.variable===`ANTHROPIC_API_KEY`,o=e.model?.replace(/^(anthropic|openai)\//,``)??i(r?`anthropic`:`openai`)??``,{window:s,output:c}=a(o),l=n.OPENAI_BASE_URL?`openai-completions`:`openai-responses`,u={id:o,name:o,reasoning:e.settings?.effort!==void 0,input:[`text`,`image`],cost:{input:0,output:0,cacheRead:0,cacheWrite:0}};return{baseUrl:t.baseUrl,apiKey:t.key,api:r?`anthropic-messages`:l,models:[{...u,contextWindow:s,maxTokens:c}]}}const l=e=>({[u]:JSON.stringify({provider:c(e),server:e.server&&s(e.server)})}),u=`UNTIL_GREEN_PI_EXTENSION`,d=`export default async function (pi: any) {
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
`,f={read:[`read`],list:[`ls`],search:[`grep`,`find`],edit:[`edit`],write:[`write`],shell:[`bash`]};function p(i){let{request:a,session:o,server:s,scratch:l,extra:u,heeds:p,environment:m,context:h}=i,{instructions:g,settings:_={}}=a,v=t(a,f),y=c(i)?.models[0].id??a.model;return[`--print`,`--mode`,`json`,`--offline`,`--no-extensions`,`--no-skills`,`--no-prompt-templates`,`--no-themes`,`--extension`,l.write(`until-green.ts`,d),`--session-dir`,e(n(m),r(h.workspace)),...p?[]:[`--no-context-files`],...i.endpoint===void 0?[]:[`--provider`,`until-green`],...y===void 0?[]:[`--model`,y],..._.effort===void 0?[]:[`--thinking`,_.effort],...v===void 0?[]:[`--tools`,[...v,...s?.tools??[]].join(`,`)],...g===void 0||g===``?[]:[`--append-system-prompt`,l.write(`instructions.md`,g)],...o.goesOn?[`--session`,o.id]:[],...u]}const m=e=>({...o(e.environment,/^PI_CODING_AGENT_DIR$/),PI_SKIP_VERSION_CHECK:`1`,PI_TELEMETRY:`0`,...l(e)});export{p as argsOf,m as envOf};