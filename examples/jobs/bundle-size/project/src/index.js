import { all } from "./months.js";

/** The number of a month by its English name, from 1; 0 if there is none. */
export const monthNumber = (name) => all.english.indexOf(name) + 1;
