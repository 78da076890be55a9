/** How a run talks with its model: conversations to token ids and back. */

import type { ImageSize } from "../images/imageFile.ts";
import type { SharedImages } from "../images/sharedImages.ts";
import type { Renderer } from "./renderer.ts";
import type { Tokenizer, TokenizerOrigin } from "./tokenizer.ts";

/** Whether the model gets images: with the tokens that each takes, null for one that the model refuses; or why not. */
export type ImageSupport =
  | {
      readonly kind: "sent";
      readonly countTokens: (size: ImageSize) => number | null;
      /** Those of the whole run. */
      readonly shared: SharedImages;
    }
  | { readonly kind: "refused"; readonly reason: string };

export interface Chat {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  /**
   * `template` = the conversation is rendered again after each turn, because the format leaves out earlier reasoning; absent = `all`:
   * it is appended to.
   */
  readonly retention?: "all" | "template";
  /** Absent = the model reads text only. */
  readonly images?: ImageSupport;
  /** The date that formats with a date in the prompt show, YYYY-MM-DD; absent = the format was made without one. */
  readonly date?: string;
  /** Where the tokenizer came from; absent = not known. */
  readonly origin?: TokenizerOrigin;
}
