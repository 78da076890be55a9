/** Model input as the wire's list of chunks: tokens with images between them. `docs/protocols/tinker.md#images` */

import type { ImageFile, ImageFormat } from "../../images/imageFile.ts";
import { imageRuns, type Run } from "../../images/imageIds.ts";
import { tinkerError } from "../transport/errors.ts";

export type TokenIds = readonly number[] | Int32Array;

export type InputChunk =
  | { readonly type: "encoded_text"; readonly tokens: readonly number[] }
  | {
      readonly type: "image";
      /** Base64. */
      readonly data: string;
      readonly format: ImageFormat;
      readonly expected_tokens: number;
    };

/** A run of text, or an image that fills `tokens` positions. */
export type InputPart =
  | { readonly kind: "text"; readonly run: Run }
  | { readonly kind: "image"; readonly image: ImageFile; readonly tokens: number };

/** Splits ids into text and images. @throws AppError `tinker-invalid-input` for an id of an image that is not in `images` */
export function inputParts(
  ids: ArrayLike<number>,
  images: readonly ImageFile[],
): readonly InputPart[] {
  return imageRuns(ids).map((run) => {
    if (run.image === null) return { kind: "text", run };
    const image = images[run.image];
    if (image === undefined) {
      throw tinkerError(
        "tinker-invalid-input",
        `Token ${ids[run.start]} at position ${run.start} is not a token id`,
      );
    }
    return { kind: "image", image, tokens: run.end - run.start };
  });
}

/** The chunks of a JSON body. @throws AppError `tinker-invalid-input` */
export function inputChunks(
  ids: TokenIds,
  images: readonly ImageFile[] = [],
): readonly InputChunk[] {
  return inputParts(ids, images).map((part) => {
    if (part.kind === "text") {
      return { type: "encoded_text", tokens: Array.from(ids.slice(part.run.start, part.run.end)) };
    }
    return imageChunk(part);
  });
}

export function imageChunk({ image, tokens }: Extract<InputPart, { kind: "image" }>): InputChunk {
  return { type: "image", data: image.base64, format: image.format, expected_tokens: tokens };
}

/** Bytes per text token in the binary form of training data. */
const TOKEN_BYTES = 4;

/** Bytes of an input in the binary form: `docs/protocols/tinker.md#chunks`. */
export function inputBytes(ids: ArrayLike<number>, images: readonly ImageFile[]): number {
  if (images.length === 0) return ids.length * TOKEN_BYTES;
  return inputParts(ids, images).reduce(
    (sum, part) =>
      sum +
      (part.kind === "image"
        ? part.image.bytes.length
        : (part.run.end - part.run.start) * TOKEN_BYTES),
    0,
  );
}
