/** Whether a model gets the images of an environment, and if not, why. */

import { SharedImages } from "../../images/sharedImages.ts";
import { findLineUpModel } from "../../models/lineUp.ts";
import type { ImageSupport } from "../chat.ts";
import type { ImageLayout } from "../format.ts";

/** `layout` is that of the chat format in use. */
export function imageSupport(modelName: string, layout: ImageLayout | undefined): ImageSupport {
  const readsImages = findLineUpModel(modelName)?.readsImages ?? layout !== undefined;
  if (!readsImages) {
    return { kind: "refused", reason: `${modelName} reads only text` };
  }
  if (layout === undefined) {
    return {
      kind: "refused",
      reason: `it is not published how ${modelName} reads images in the chat format of this run`,
    };
  }
  return { kind: "sent", countTokens: layout.countTokens, shared: new SharedImages() };
}
