/** The tokenizer as the core sees it: text to ids without control tokens, ids to text, and the control tokens by name. */

export interface AddedToken {
  readonly id: number;
  readonly text: string;
}

export interface Tokenizer {
  /** Number of ids, added tokens included. */
  readonly vocabSize: number;
  /** Tokens outside the merges: control tokens, think and tool markers; whether flagged special or not. */
  readonly addedTokens: readonly AddedToken[];
  /** Encodes text as ordinary text: no added token can come out, whatever the text contains. Nothing is prepended. */
  encodeText(text: string): readonly number[];
  /** Exact inverse of the bytes; invalid UTF-8 becomes U+FFFD. Added tokens appear as their text. */
  decode(ids: readonly number[]): string;
}

/** A model's chat template (Jinja source) with the variables its folder defines. */
export interface ChatTemplate {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

/** What a model folder gives to the chat layer. */
export interface ModelTokenizer {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate | null;
}
