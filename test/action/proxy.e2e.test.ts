import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openGitHubHost } from "../parts/github-host/host.ts";

const script = `
const { openJobClient } = await import("./action/github/client.ts");
const github = openJobClient({ token: process.env.TOKEN, patienceMs: 1000 });
const { data } = await github.request("GET /repos/{owner}/{repo}", github.at);
console.log(data.default_branch, await github.login());
`;

/** A proxy that makes a tunnel to one port, whatever host it is asked for; says which. */
async function openTunnel(port: number): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server: Server = createServer((_, response) => void response.writeHead(405).end());
  server.on("connect", (request, client) => {
    asked.push(request.url ?? "");
    const host = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      host.pipe(client).pipe(host);
    });
    for (const socket of [host, client]) socket.on("error", () => undefined);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function ask(env: Readonly<Record<string, string>>): Promise<string> {
  const options = { env: { PATH: process.env["PATH"] ?? "", ...env }, cwd: process.cwd() };
  const { stdout } = await promisify(execFile)(execPath, ["--input-type=module", "-e", script], options);
  return stdout.trim();
}

test("a job asks GitHub Enterprise Server through the proxy that its runner names", async () => {
  const host = await openGitHubHost({ enterprise: true });
  onTestFinished(() => host.close());
  const tunnel = await openTunnel(Number(new URL(host.origin).port));
  const job = {
    TOKEN: host.token,
    GITHUB_REPOSITORY: host.repository,
    GITHUB_API_URL: "http://ghe.example/api/v3",
    http_proxy: tunnel.url,
  };
  expect(await ask(job)).toBe("main github-actions[bot]");
  expect(tunnel.asked).toContain("ghe.example:80");
  expect(host.journal.map(({ path }) => path)).toEqual(["/repos/octocat/hello", "/graphql"]);
  await expect(ask({ ...job, no_proxy: "ghe.example" })).rejects.toThrow("GitHub did not answer");
});
