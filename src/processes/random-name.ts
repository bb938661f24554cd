import { randomUUID } from "node:crypto";

/** 48 random bits in hex, for a name. Node keeps a pool for UUIDs, so this is many times faster than `randomBytes`. */
export const randomName = (): string => randomUUID().slice(-12);
