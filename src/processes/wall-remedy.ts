import { platform } from "node:process";
import { textIn } from "./lenient-reads.ts";

/** How to enable the walls. */
export function remedy(reason: string): string {
  if (platform !== "linux") return "run in a Linux container or on a Linux runner";
  if (reason.startsWith("bubblewrap"))
    return "install bubblewrap (`sudo apt-get install -y bubblewrap`), and allow user namespaces";
  if (textIn("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1")
    return "allow user namespaces to bubblewrap: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` in a step before, or an AppArmor profile for it";
  if (textIn("/proc/sys/user/max_user_namespaces").trim() === "0")
    return "set `user.max_user_namespaces` above 0";
  return "in a container, start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`";
}
