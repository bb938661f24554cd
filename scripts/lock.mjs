// Regenerates package-lock.json and completes it: if a registry does not serve packages of other platforms, npm
// leaves them out of the lockfile, and `npm ci` then refuses it. The platform is derived from the package's name.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { stdio: "inherit" });
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
for (const [path, from] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(from.optionalDependencies ?? {})) {
    const version = range.replace(/^[\^~]/, "");
    if (placesFor(path, name).some((place) => lock.packages[place]?.version === version)) continue;
    const free = placesFor(path, name).findLast((place) => lock.packages[place] === undefined);
    const flags = { ...(from.dev ? { dev: true } : {}), optional: true };
    lock.packages[free] = { version, ...platformOf(name), ...flags };
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, undefined, 2)}\n`);

/** Where npm looks up a dependency: inside the package, then beside it, then in each parent. */
function placesFor(path, name) {
  const folders = path.split("node_modules/");
  return folders.map((_, depth) => {
    const around = folders
      .slice(0, folders.length - depth)
      .join("node_modules/")
      .replace(/\/$/, "");
    return around === "" ? `node_modules/${name}` : `${around}/node_modules/${name}`;
  });
}

function platformOf(name) {
  const os = [
    "android",
    "darwin",
    "freebsd",
    "linux",
    "netbsd",
    "openbsd",
    "openharmony",
    "sunos",
    "win32",
    "aix",
  ];
  const cpu = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64", "wasm32"];
  const found = (words) => words.filter((word) => name.includes(word)).slice(0, 1);
  const libc = name.endsWith("musl") ? ["musl"] : name.endsWith("gnu") ? ["glibc"] : [];
  return Object.fromEntries(
    Object.entries({ os: found(os), cpu: found(cpu), libc }).filter(([, words]) => words.length > 0),
  );
}
