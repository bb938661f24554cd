// Writes package-lock.json anew and completes it: where a registry does not serve the packages of other platforms, npm
// leaves them out of the lock, and `npm ci` then refuses that very lock. What a platform is can be read off the name.
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

/** Where npm looks for what a package needs: inside it, then beside it, then further and further out. */
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
