/** The content of a message: a text, with images in it. */

import { imageText } from "../images/imageIds.ts";

/** An image in the content of a message, from the environment. */
export interface PlacedImage {
  /** Index in `content` before which it stands. */
  readonly at: number;
  /** Below 0, as it is in token sequences. */
  readonly id: number;
  /** Entries that it takes in a token sequence. */
  readonly tokens: number;
}

export interface Content {
  readonly content: string;
  readonly images?: readonly PlacedImage[];
}

/** An image where it stands by itself. */
export type ImagePart = Pick<PlacedImage, "id" | "tokens">;

/** Parts joined without a separator. */
export function contentOfParts(parts: readonly (string | ImagePart)[]): Content {
  const images: PlacedImage[] = [];
  let content = "";
  for (const part of parts) {
    if (typeof part === "string") content += part;
    else images.push({ at: content.length, ...part });
  }
  return images.length === 0 ? { content } : { content, images };
}

/** The other way round; no text is empty. */
export function partsOf({ content, images = [] }: Content): readonly (string | ImagePart)[] {
  const parts: (string | ImagePart)[] = [];
  let done = 0;
  for (const { at, id, tokens } of images) {
    parts.push(content.slice(done, at), { id, tokens });
    done = at;
  }
  return [...parts, content.slice(done)].filter((part) => part !== "");
}

/** The content as people read it: `[image 1]` where the first image of the rollout stands. */
export function shownContent(content: Content): string {
  return partsOf(content)
    .map((part) => (typeof part === "string" ? part : imageText(part.id)))
    .join("");
}
