/** Images from environments. Their format is determined from their bytes, not from the declared type. */

import { AppError } from "../errors.ts";

/** Formats supported by the Tinker protocol: `docs/protocols/tinker.md#images`. */
export type ImageFormat = "png" | "jpeg";

export interface ImageSize {
  /** In pixels, from the file's header. */
  readonly width: number;
  readonly height: number;
}

export interface ImageFile extends ImageSize {
  readonly format: ImageFormat;
  readonly bytes: Uint8Array;
  /** The bytes as base64, with padding and without whitespace. */
  readonly base64: string;
}

/** A larger image would fill a whole request. */
export const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
const MAX_SIDE = 16_384;
/** A small file can have many pixels, and displaying it needs four bytes for each. */
const MAX_PIXELS = 40_000_000;

export function mediaType({ format }: Pick<ImageFile, "format">): string {
  return `image/${format}`;
}

/** The whole image as a `data:` URL: https://www.rfc-editor.org/rfc/rfc2397 */
export function imageAddress(file: Pick<ImageFile, "format" | "base64">): string {
  return `data:${mediaType(file)};base64,${file.base64}`;
}

/** Decodes base64. @throws AppError `image-invalid` when it is not a PNG or JPEG file, or too large */
export function readImage(base64: string): ImageFile {
  // Line breaks make the text longer, so this limit is higher. Much longer texts are not decoded.
  if (base64.length > 2 * MAX_IMAGE_BYTES) throw tooLarge();
  const units = decodeBase64(base64);
  if (units.length > MAX_IMAGE_BYTES) throw tooLarge();
  const bytes = bytesOf(units);
  const found = identifyImage(bytes);
  if (found === null) {
    throw invalid(
      `is neither PNG nor JPEG, or its header is damaged (it begins with ${firstBytes(bytes)})`,
    );
  }
  const { width, height } = found;
  if (!isUsableSize(found)) {
    throw invalid(
      `is ${width} x ${height} pixels; each side must have 1 to ${MAX_SIDE}, both together at most ${MAX_PIXELS / 1e6} million`,
    );
  }
  // `atob` also accepts line breaks and missing padding. If the text is the same, the caller's string is kept.
  const encoded = btoa(units);
  return { ...found, bytes, base64: encoded === base64 ? base64 : encoded };
}

/** True if the image can be sent and displayed. */
export function isUsableSize({ width, height }: ImageSize): boolean {
  const isSide = (length: number): boolean => length >= 1 && length <= MAX_SIDE;
  return isSide(width) && isSide(height) && width * height <= MAX_PIXELS;
}

/** Format and size from the file's header; null if it is not PNG or JPEG. */
export function identifyImage(
  bytes: Uint8Array,
): (ImageSize & { readonly format: ImageFormat }) | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const png = pngSize(view);
  if (png !== null) return { format: "png", ...png };
  const jpeg = jpegSize(view);
  return jpeg === null ? null : { format: "jpeg", ...jpeg };
}

/** PNG (ISO/IEC 15948): the signature, then the chunk IHDR with width and height. */
function pngSize(view: DataView): ImageSize | null {
  const isPng =
    view.byteLength >= 24 &&
    view.getUint32(0) === 0x89504e47 &&
    view.getUint32(4) === 0x0d0a1a0a &&
    view.getUint32(12) === 0x49484452;
  return isPng ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
}

/** ITU-T T.81, annex B: segments up to the frame header (SOF), which holds height and width. */
function jpegSize(view: DataView): ImageSize | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // A fill byte before the marker.
      at += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    // Markers without a segment, or the start of data without a frame header.
    if ((marker >= 0xd0 && marker <= 0xda) || marker === 0x01) return null;
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}

/** SOF0 to SOF15, except DHT, JPG and DAC, which are in the same range. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** True if `all` begins with the same bytes as `first`, regardless of base64 formatting. */
export function beginsWithImages(all: readonly ImageFile[], first: readonly ImageFile[]): boolean {
  return first.every(({ bytes }, i) => {
    const other = all[i]?.bytes;
    return other?.length === bytes.length && bytes.every((byte, at) => byte === other[at]);
  });
}

/** Returns one character per byte. */
function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    throw invalid("is not base64");
  }
}

function bytesOf(units: string): Uint8Array {
  const bytes = new Uint8Array(units.length);
  // `Uint8Array.from` takes 0.2 seconds per MB.
  for (let i = 0; i < units.length; i += 1) bytes[i] = units.charCodeAt(i);
  return bytes;
}

function firstBytes(bytes: Uint8Array): string {
  const hex = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0"));
  return hex.length === 0 ? "nothing" : hex.join(" ");
}

function tooLarge(): AppError {
  return invalid(`has more than ${MAX_IMAGE_BYTES / 1024 / 1024} MiB`);
}

function invalid(problem: string): AppError {
  return new AppError("image-invalid", `An image ${problem}. It cannot be sent to the model.`);
}
