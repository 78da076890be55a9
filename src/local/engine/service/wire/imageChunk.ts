/** Images in requests, replaced by token ids: `docs/protocols/tinker.md#images`. */

import { identifyImage } from "../../../../core/images/imageFile.ts";
import type { WireImage } from "../../../../core/tinker/wire/forwardBackwardProto.ts";
import type { EngineModel } from "../../engine.ts";
import { userFault } from "../http/faults.ts";

/**
 * Returns a function that converts an image to as many ids as it has tokens.
 * @throws AppError `invalid-request` if the model reads text only; the returned function throws it for bytes of another format and for a
 * missing or invalid token count
 */
export function imageReader(
  { imageIds, name, maxContext }: EngineModel,
  what: string,
): (image: WireImage) => Int32Array {
  if (imageIds === undefined) {
    throw userFault(`${what} holds an image. Images are not supported: ${name} reads text only.`);
  }
  return ({ data, format, expectedTokens: count }) => {
    const found = identifyImage(data)?.format ?? "neither png nor jpeg";
    if (found !== format) {
      throw userFault(`${what} holds an image of the format ${format}; its bytes are ${found}.`);
    }
    if (count === undefined || !Number.isInteger(count) || count < 1 || count > maxContext) {
      throw userFault(
        `${what} holds an image with expected_tokens ${count ?? "absent"}; send a count from 1 to ${maxContext}.`,
      );
    }
    return imageIds(data, count);
  };
}
