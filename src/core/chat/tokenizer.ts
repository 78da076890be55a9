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
  /**
   * Runs `render`, which encodes texts, without holding up the process for long ones. It may be started several times, so it changes
   * nothing before it has encoded all. Absent where there is no thread to encode in.
   */
  whileEncoding?<T>(render: () => T): Promise<T>;
  /** Exact inverse of the bytes; invalid UTF-8 becomes U+FFFD. Added tokens appear as their text. */
  decode(ids: ArrayLike<number>): string;
}

/** Renders with the tokenizer, and lets the process continue meanwhile where it can. */
export async function renderAside<T>(tokenizer: Tokenizer, render: () => T): Promise<T> {
  return tokenizer.whileEncoding === undefined ? render() : tokenizer.whileEncoding(render);
}

/** A model's chat template (Jinja source) with the variables its folder defines. */
export interface ChatTemplate {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

/** Source and digests of a tokenizer, to compare those of two runs. */
export interface TokenizerOrigin {
  /** As asked for: a model or a folder. */
  readonly name: string;
  /** Where it was found, for people, such as `hub`. */
  readonly source: string;
  /** Commit on the model hub; null when it is none of the hub's. */
  readonly revision: string | null;
  /** SHA-256 of `tokenizer.json` or of the rank file. */
  readonly tokenizerSha256: string;
  /** SHA-256 of the template's source; null without one. */
  readonly templateSha256: string | null;
}

/** What a model folder gives to the chat layer. */
export interface ModelTokenizer {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate | null;
  readonly origin?: TokenizerOrigin;
}
