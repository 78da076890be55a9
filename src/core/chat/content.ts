/** Message content: text with images at given offsets. */

import { imageText } from "../images/imageIds.ts";

/** An image from the environment, positioned within a message's content. */
export interface PlacedImage {
  /** Offset in `content`; the image goes before this character. */
  readonly at: number;
  /** Negative, as in token sequences. */
  readonly id: number;
  /** Number of entries it takes in a token sequence. */
  readonly tokens: number;
}

export interface Content {
  readonly content: string;
  readonly images?: readonly PlacedImage[];
}

/** An image without a position. */
export type ImagePart = Pick<PlacedImage, "id" | "tokens">;

/** Joins parts without a separator. */
export function contentOfParts(parts: readonly (string | ImagePart)[]): Content {
  const images: PlacedImage[] = [];
  let content = "";
  for (const part of parts) {
    if (typeof part === "string") content += part;
    else images.push({ at: content.length, ...part });
  }
  return images.length === 0 ? { content } : { content, images };
}

/** Splits content back into parts, the inverse of {@link contentOfParts}. Never returns an empty text. */
export function partsOf({ content, images = [] }: Content): readonly (string | ImagePart)[] {
  const parts: (string | ImagePart)[] = [];
  let done = 0;
  for (const { at, id, tokens } of images) {
    parts.push(content.slice(done, at), { id, tokens });
    done = at;
  }
  return [...parts, content.slice(done)].filter((part) => part !== "");
}

/** The content for display, with `[image 1]` in place of the rollout's first image. */
export function shownContent(content: Content): string {
  return partsOf(content)
    .map((part) => (typeof part === "string" ? part : imageText(part.id)))
    .join("");
}
