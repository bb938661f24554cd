/** Where only the system's own administrator installs programs: an agent may have changed PATH. */
export const systemPath = "/usr/bin:/bin:/usr/sbin:/sbin";
