import type { Shell } from "../ports/shell.ts";
import { watchPrograms } from "../processes/program-watch.ts";
import { watchCloneFolders } from "./clone-folder.ts";
import { keepHomeSettings } from "./home-settings.ts";
import type { KeptClones } from "./kept-clones.ts";
import type { CloneOptions } from "./run-in-clone.ts";

export type CleanShellOptions = Omit<CloneOptions, "changed" | "makeRoot" | "settings" | "clones">;

/**
 * A shell that can also run scripts in a fresh clone, isolated from everything that an agent left on this machine.
 */
export function cleanShell(options: CleanShellOptions): Shell {
  const { environment, open } = options;
  const shell = open(environment);
  const changed = watchPrograms(environment);
  const settings = keepHomeSettings(environment);
  const makeRoot = watchCloneFolders();
  let clones: KeptClones | undefined;
  return {
    async run(request, context) {
      if (request.clean === undefined) return await shell.run(request, context);
      // Loaded with the first clone: most iterations need none.
      const [{ runInClone }, { KeptClones: Clones }] = await Promise.all([
        import("./run-in-clone.ts"),
        import("./kept-clones.ts"),
      ]);
      clones ??= new Clones();
      return await runInClone(
        { ...options, changed: changed(), makeRoot, settings, clones },
        request,
        context,
      );
    },
  };
}
