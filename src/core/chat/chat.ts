/** How a run talks with its model: conversations to token ids and back. */

import type { Renderer } from "./renderer.ts";
import type { Tokenizer, TokenizerOrigin } from "./tokenizer.ts";

export interface Chat {
  readonly renderer: Renderer;
  readonly tokenizer: Tokenizer;
  /** Where the tokenizer came from; absent = not known. */
  readonly origin?: TokenizerOrigin;
}
