/** The images of a request. In its messages, an image's id is its index in the request; conversations assign their own ids. */

import { contentOfParts, type ImagePart, partsOf } from "../chat/content.ts";
import type { ImagePool, PooledImage } from "../chat/imagePool.ts";
import { ColumnError, shown } from "../chat/openaiMessages.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { type AppError, isAppError } from "../errors.ts";
import { imageId, imageIndex } from "../images/imageIds.ts";
import { isExactObject } from "../util/exactJson.ts";
import { endpointRefusal } from "./refusal.ts";

export interface SentImage {
  readonly base64: string;
  /** Its location in the request. */
  readonly column: string;
}

export interface SentMessages {
  /** Ends with a user message or a result; calls are followed by their results in call order. */
  readonly messages: readonly InitialMessage[];
  /** Images in the messages, by id. */
  readonly images: readonly SentImage[];
}

/** Collects a request's images while its messages are read. */
export class RequestImages {
  readonly all: SentImage[] = [];

  add(base64: string, column: string): ImagePart {
    this.all.push({ base64, column });
    // The number of tokens depends on the model.
    return { id: imageId(this.all.length - 1), tokens: 0 };
  }

  /** Adds an image given as a URL. @throws ColumnError for a URL that does not contain the image itself */
  addAddress(address: unknown, column: string): ImagePart {
    const base64 = typeof address === "string" ? base64In(address) : null;
    if (base64 !== null) return this.add(base64, column);
    throw new ColumnError(
      column,
      `expected data:image/png;base64,…, got ${shown(address)}${NOTHING_FETCHED}`,
    );
  }

  /** Adds an image part of a chat completions message. @throws ColumnError */
  addPart({ image_url: given }: Readonly<Record<string, unknown>>, column: string): ImagePart {
    const address = isExactObject(given) ? given["url"] : given;
    return this.addAddress(address, `${column}.image_url`);
  }
}

const NOTHING_FETCHED = "; images are not downloaded";

/** Null unless the URL contains a base64 image: https://www.rfc-editor.org/rfc/rfc2397 */
function base64In(address: string): string | null {
  const head = /^data:image\/[^,]{1,100};base64,/i.exec(address.slice(0, 128))?.[0];
  return head === undefined ? null : address.slice(head.length);
}

/** Number of images that are not in the pool yet. */
export function newImages({ images }: Pick<SentMessages, "images">, pool: ImagePool): number {
  const places = positions();
  return images.filter(({ base64 }) => pool.find(base64, places(base64)) === null).length;
}

/**
 * The messages with image ids of the pool: known images of a repeated conversation keep their ids, new ones are added. If set,
 * `placeholder` replaces each image. @throws AppError `endpoint-refused`
 */
export function withPooledImages(
  { messages, images }: SentMessages,
  { pool, placeholder }: { readonly pool: ImagePool; readonly placeholder: string | undefined },
): readonly InitialMessage[] {
  if (images.length === 0) return messages;
  // Read all before adding any, so that a refusal leaves nothing behind.
  const read = placeholder === undefined ? images.map((image) => readFor(pool, image)) : [];
  const places = positions();
  const pooled = (part: string | ImagePart): string | ImagePart => {
    if (typeof part === "string") return part;
    const image = read[imageIndex(part.id)];
    if (image === undefined) return placeholder ?? "";
    const { base64 } = image.file;
    return pool.find(base64, places(base64)) ?? pool.add(image);
  };
  return messages.map((message) => {
    if (message.images === undefined) return message;
    const { images: _, ...plain } = message;
    return { ...plain, ...contentOfParts(partsOf(message).map(pooled)) };
  });
}

/** Counts earlier occurrences of a text. */
function positions(): (text: string) => number {
  const counts = new Map<string, number>();
  return (text) => {
    const position = counts.get(text) ?? 0;
    counts.set(text, position + 1);
    return position;
  };
}

function readFor(pool: ImagePool, { base64, column }: SentImage): PooledImage {
  if (pool.refusal !== null) {
    throw refused(column, `the model gets no images, because ${pool.refusal}.`);
  }
  try {
    return pool.read(base64);
  } catch (error) {
    if (!isAppError(error, "image-invalid")) throw error;
    throw refused(column, error.message);
  }
}

function refused(column: string, why: string): AppError {
  return endpointRefusal(`${column}: ${why}`, { param: column });
}
