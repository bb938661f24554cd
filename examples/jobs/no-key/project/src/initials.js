/** The first letters of a name: "Ada Lovelace" becomes "AL". */
export const initials = (name) => name.split(" ").map((part) => part[0]).join();
