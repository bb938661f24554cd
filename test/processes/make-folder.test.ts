import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const inNamespace = ["-Urm", "sh", "-c"];
const mount = "mount -t tmpfs -o ro tmpfs /mnt";
const canMount = spawnSync("unshare", [...inNamespace, mount]).status === 0;

test.runIf(canMount).each(["makeFolder", "makeOwnFolder"])(
  "%s reports a read-only disk as such, not as a missing folder",
  (name) => {
    const script = `import { ${name} } from ${JSON.stringify(resolve("src/processes/make-folder.ts"))};
      try { ${name}("/mnt/one/two"); } catch (error) { console.log(error.code); }`;
    const node = [process.execPath, "--input-type=module", "--eval", script];
    const args = [...inNamespace, `${mount} && exec "$@"`, "sh", ...node];
    expect(spawnSync("unshare", args, { encoding: "utf8" }).stdout).toBe("EROFS\n");
  },
);
