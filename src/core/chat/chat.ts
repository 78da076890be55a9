/** How a run talks with its model: conversations to token ids and back. */

import type { Renderer } from "./renderer.ts";
import type { Tokenizer, TokenizerOrigin } from "./tokenizer.ts";

export interface Chat {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  /**
   * `template` = the conversation is rendered again after each turn, because the format leaves out earlier reasoning; absent = `all`:
   * it is appended to.
   */
  readonly retention?: "all" | "template";
  /** Where the tokenizer came from; absent = not known. */
  readonly origin?: TokenizerOrigin;
}
