import { readlinkSync, type Stats, statfsSync, statSync } from "node:fs";
import { DiskFault } from "../ports/disk-fault.ts";
import { attempt, namesIn } from "../processes/lenient-reads.ts";
import { withChildren } from "../processes/pipes.ts";

/**
 * Why a git process will not end in any useful time: it reads a sparse file that is larger than the free space of its
 * disk. Such a file takes no space itself, so nothing stops a program that makes one; but git reads every byte of it,
 * and a clone writes them. Linux only: `/proc` shows which files a process has open.
 */
export function sparseFileOf(pid: number): DiskFault | undefined {
  for (const id of withChildren(`${pid}`)) {
    for (const name of namesIn(`/proc/${id}/fd`)) {
      const file = `/proc/${id}/fd/${name}`;
      const stat = attempt(() => statSync(file));
      if (stat !== undefined && isSparse(stat)) {
        const free = attempt(() => statfsSync(file));
        const path = attempt(() => readlinkSync(file));
        if (free !== undefined && path !== undefined && stat.size > free.bavail * free.bsize)
          return new DiskFault(sentence(path, stat.size), "EFBIG", undefined);
      }
    }
  }
  return undefined;
}

const isSparse = ({ size, blocks, ...stat }: Stats) =>
  (stat.mode & 0o170000) === 0o100000 && size > leastBytes && blocks * 512 < size / 2;

const leastBytes = 2 ** 30;

const sentence = (path: string, size: number) =>
  `${path} is a sparse file of ${Math.round(size / 2 ** 30)} GiB, more than its disk has free, so no snapshot can contain it: ` +
  "what was recorded before is not lost; remove it, or list it in .gitignore, then resume the run";
