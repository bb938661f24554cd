import { extname } from "node:path";
import type { Image } from "./work-tool.ts";

/**
 * An image in a format that models accept; a sentence about it if they do not; `undefined` if the file is no image.
 * Providers refuse every request with a broken image, so the conversation could not continue.
 */
export function imageIn(name: string, bytes: Buffer): Image | string | undefined {
  if (!extensions.has(extname(name).toLowerCase())) return undefined;
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined)
    return `(an image that is damaged or of another kind, of ${bytes.length} bytes)`;
  if (bytes.length > largest) return `(an image of ${bytes.length} bytes: more than can be shown)`;
  const { width, height } = sizeOf(bytes);
  if (Math.max(width, height) > longestSide)
    return `(an image of ${width} x ${height} pixels: a side may have ${longestSide} to be shown)`;
  return { image: bytes.toString("base64"), mediaType };
}

const extensions: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

/** The limits of Anthropic's API, which are the lowest: 5 MB in base64, and 8,000 pixels per side. */
const largest = 3_750_000;
const longestSide = 8_000;

/** The size in pixels, from the image's header; 0 if not found. */
function sizeOf(bytes: Buffer): { readonly width: number; readonly height: number } {
  if (bytes.length < longestHeader) return { width: 0, height: 0 };
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "IHDR") return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (kind === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind === "VP8 ")
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (bytes.toString("latin1", 0, 4) === "GIF8")
    return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return sizeOfJpeg(bytes);
}

/** In bytes; WebP has the longest. */
const longestHeader = 30;

/** A JPEG consists of segments, each with a marker and its length; one of the frame markers contains the size. */
function sizeOfJpeg(bytes: Buffer) {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return { width: 0, height: 0 };
}

/** The type of an image by its first bytes, if its last bytes are there too. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const has = (text: string, at = 0) => bytes.toString("latin1", at, at + text.length) === text;
  const ends = (text: string) => bytes.subarray(-1024).includes(Buffer.from(text, "latin1"));
  if (has("\x89PNG\r\n\x1a\n")) return ends("IEND") ? "image/png" : undefined;
  if (has("\xff\xd8\xff")) return ends("\xff\xd9") ? "image/jpeg" : undefined;
  if (has("GIF8")) return ends(";") ? "image/gif" : undefined;
  if (!has("RIFF") || !has("WEBP", 8)) return undefined;
  return bytes.length >= bytes.readUInt32LE(4) ? "image/webp" : undefined;
}
