/** Folders in which only the administrator installs programs. An agent may have changed PATH. */
export const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin";
