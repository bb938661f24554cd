/** A title as part of an address: "Hello, World!" becomes "hello-world". */
export const slug = (title) => title.toLowerCase().replaceAll(/[^a-z0-9]/g, "-");
