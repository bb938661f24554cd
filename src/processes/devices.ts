import { join } from "node:path";
import { namesIn } from "./lenient-reads.ts";

/**
 * Flags for a /proc of its own and a private /dev, without the user's terminals (a program could read what is typed
 * there), raw disks and shared memory. Devices that tests use are included.
 */
export function devices(): readonly string[] {
  const useful = namesIn("/dev").filter((name) => /^(dri|fuse|kfd|kvm|net|nvidia.*|vhost-.*)$/.test(name));
  return [
    // Read-only: otherwise a program could reset its `oom_score_adj`, and no longer be the first to end when memory
    // runs out.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...["--dev", "/dev"],
    ...useful.flatMap((name) => ["--dev-bind-try", join("/dev", name), join("/dev", name)]),
  ];
}
