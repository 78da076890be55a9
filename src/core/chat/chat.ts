/** The chat components of a run: they turn conversations into token ids and back. */

import type { ImageSize } from "../images/imageFile.ts";
import type { SharedImages } from "../images/sharedImages.ts";
import type { Renderer } from "./renderer.ts";
import type { Tokenizer, TokenizerOrigin } from "./tokenizer.ts";

/** Whether the model takes images. `countTokens` returns an image's token count, or null if the model refuses that image. */
export type ImageSupport =
  | {
      readonly kind: "sent";
      readonly countTokens: (size: ImageSize) => number | null;
      /** Shared by the whole run. */
      readonly shared: SharedImages;
    }
  | { readonly kind: "refused"; readonly reason: string };

export interface Chat {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  /**
   * `template` = render the conversation again after every turn, because the format drops earlier reasoning. Absent =
   * `all`: append each turn.
   */
  readonly retention?: "all" | "template";
  /** Absent = the model is text-only. */
  readonly images?: ImageSupport;
  /** The date shown by formats whose prompt has one, YYYY-MM-DD; absent = the format was created without a date. */
  readonly date?: string;
  /** Where the tokenizer came from; absent = unknown. */
  readonly origin?: TokenizerOrigin;
}
