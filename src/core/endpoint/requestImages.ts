/** The images of a request. In its messages each has the id of its place in the request; conversations give it one of their own. */

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
  /** Where it stands. */
  readonly column: string;
}

export interface SentMessages {
  /** The last is of the user or a result; behind calls stand their results, in the order of the calls. */
  readonly messages: readonly InitialMessage[];
  /** Those in the messages, by their ids there. */
  readonly images: readonly SentImage[];
}

/** Collects the images of a request while its messages are read. */
export class RequestImages {
  readonly all: SentImage[] = [];

  add(base64: string, column: string): ImagePart {
    this.all.push({ base64, column });
    // How many tokens it takes is known where its model is.
    return { id: imageId(this.all.length - 1), tokens: 0 };
  }

  /** An image that a request has as an address. @throws ColumnError for one that is not the image itself */
  addAddress(address: unknown, column: string): ImagePart {
    const base64 = typeof address === "string" ? base64In(address) : null;
    if (base64 !== null) return this.add(base64, column);
    throw new ColumnError(
      column,
      `expected data:image/png;base64,…, got ${shown(address)}${NOTHING_FETCHED}`,
    );
  }

  /** A part of a message of chat completions. @throws ColumnError */
  addPart({ image_url: given }: Readonly<Record<string, unknown>>, column: string): ImagePart {
    const address = isExactObject(given) ? given["url"] : given;
    return this.addAddress(address, `${column}.image_url`);
  }
}

const NOTHING_FETCHED = "; nothing is fetched from elsewhere";

/** Null for an address that is no image as base64: https://www.rfc-editor.org/rfc/rfc2397 */
function base64In(address: string): string | null {
  const head = /^data:image\/[^,]{1,100};base64,/i.exec(address.slice(0, 128))?.[0];
  return head === undefined ? null : address.slice(head.length);
}

/** Those that the pool does not have yet. */
export function newImages({ images }: Pick<SentMessages, "images">, pool: ImagePool): number {
  const places = positions();
  return images.filter(({ base64 }) => pool.find(base64, places(base64)) === null).length;
}

/**
 * The messages with ids of the pool: a conversation that comes again has those that it had, and others are added.
 * `placeholder` stands for each image; absent = the image itself does. @throws AppError `endpoint-refused`
 */
export function withPooledImages(
  { messages, images }: SentMessages,
  { pool, placeholder }: { readonly pool: ImagePool; readonly placeholder: string | undefined },
): readonly InitialMessage[] {
  if (images.length === 0) return messages;
  // All are read before one is added: what is refused leaves nothing behind.
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

/** Counts how often a text came before. */
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
