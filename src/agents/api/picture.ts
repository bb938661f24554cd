import { extname } from "node:path";
import type { Picture } from "./work-tool.ts";

/**
 * An image as models take it; a sentence about it if they do not; `undefined` for a file that is no image. A provider
 * refuses each request that contains a broken image, so the conversation could not continue.
 */
export function pictureIn(name: string, bytes: Buffer): Picture | string | undefined {
  if (!extensions.has(extname(name).toLowerCase())) return undefined;
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined)
    return `(an image that is damaged or of another kind, of ${bytes.length} bytes)`;
  if (bytes.length > largest) return `(an image of ${bytes.length} bytes: more than can be shown)`;
  return { picture: bytes.toString("base64"), mediaType };
}

const extensions: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

/** Models take images of up to 5 MB in base64. */
const largest = 3_750_000;

/** The kind of an image by its first bytes, if its end is there too. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const has = (text: string, at = 0) => bytes.toString("latin1", at, at + text.length) === text;
  const ends = (text: string) => bytes.subarray(-1024).includes(Buffer.from(text, "latin1"));
  if (has("\x89PNG\r\n\x1a\n")) return ends("IEND") ? "image/png" : undefined;
  if (has("\xff\xd8\xff")) return ends("\xff\xd9") ? "image/jpeg" : undefined;
  if (has("GIF8")) return ends(";") ? "image/gif" : undefined;
  if (!has("RIFF") || !has("WEBP", 8)) return undefined;
  return bytes.length >= bytes.readUInt32LE(4) ? "image/webp" : undefined;
}
