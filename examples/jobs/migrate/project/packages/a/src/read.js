import { readFile } from "node:fs";

export const read = (file) =>
  new Promise((done, failed) => readFile(file, "utf8", (error, text) => (error ? failed(error) : done(text))));
