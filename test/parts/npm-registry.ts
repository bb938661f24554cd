import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";

const run = promisify(execFile);

/** A package of the registry: its files besides `package.json`. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** An npm registry on loopback, stopped when the test ends; `asked` are the requested paths. */
export async function openNpmRegistry(packages: readonly Package[], advisories: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), "registry-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tarballs = new Map<string, Buffer>();
  for (const one of packages) tarballs.set(pathOf(one), await pack(one, folder));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    requests.push(path);
    const tarball = tarballs.get(path);
    if (tarball !== undefined) return void response.end(tarball);
    if (path === "/-/npm/v1/security/advisories/bulk") return void response.end(JSON.stringify(advisories));
    const versions = packages.filter(({ name }) => path === `/${name}`);
    if (versions.length === 0) return void response.writeHead(404).end("{}");
    response.setHeader("content-type", "application/json");
    const distOf = (one: Package) => {
      const tarball = tarballs.get(pathOf(one)) ?? "";
      const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
      return { tarball: `http://${request.headers.host}${pathOf(one)}`, integrity };
    };
    response.end(JSON.stringify(documentOf(versions, distOf)));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  /** npm uses this registry, with a separate cache. */
  const env = { npm_config_registry: `${url}/`, npm_config_cache: join(folder, "cache") };
  /** Makes the registry serve something else instead of a package. */
  const tamper = async (one: Package, files: Package["files"]) =>
    void tarballs.set(pathOf(one), await pack({ ...one, files }, folder));
  return { url, asked: requests, env, tamper };
}

const pathOf = ({ name, version }: Package) => `/files/${name}-${version}.tgz`;

async function pack({ files, ...about }: Package, folder: string): Promise<Buffer> {
  const home = await mkdtemp(join(folder, "package-"));
  await writeFile(join(home, "package.json"), JSON.stringify(about));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
    await chmod(join(home, name), 0o755);
  }
  const file = join(folder, `${about.name.replaceAll("/", "-")}-${about.version}.tgz`);
  await run("tar", ["-czf", file, "--transform=s,^\\.,package,", "-C", home, "."]);
  return await readFile(file);
}

function documentOf(versions: readonly Package[], distOf: (one: Package) => object) {
  const [{ name } = { name: "" }] = versions;
  const entries = versions.map(({ files, ...about }) => [
    about.version,
    { ...about, dist: distOf({ ...about, files }) },
  ]);
  return { name, "dist-tags": { latest: versions.at(-1)?.version }, versions: Object.fromEntries(entries) };
}
