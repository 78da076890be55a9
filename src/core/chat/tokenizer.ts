/** The tokenizer interface of the core: text to ids without control tokens, ids to text, and control tokens by name. */

export interface AddedToken {
  readonly id: number;
  readonly text: string;
}

export interface Tokenizer {
  /** Number of ids, added tokens included. */
  readonly vocabSize: number;
  /** Tokens outside the merges, such as control tokens and think or tool markers, whether flagged special or not. */
  readonly addedTokens: readonly AddedToken[];
  /** Encodes text as ordinary text: it never yields an added token, whatever the text contains. Nothing is prepended. */
  encodeText(text: string): readonly number[];
  /**
   * Runs `render`, which encodes texts, without blocking the process on long ones. `render` may be run several times, so it must
   * have no side effects until it has encoded everything. Absent if no thread is available.
   */
  whileEncoding?<T>(render: () => T): Promise<T>;
  /** Exact inverse of the encoding; invalid UTF-8 becomes U+FFFD. Added tokens appear as their text. */
  decode(ids: ArrayLike<number>): string;
}

/** Runs `render`, off the main thread if the tokenizer supports that. */
export async function renderAside<T>(tokenizer: Tokenizer, render: () => T): Promise<T> {
  return tokenizer.whileEncoding === undefined ? render() : tokenizer.whileEncoding(render);
}

/** A model's chat template (Jinja source) with the variables its folder defines. */
export interface ChatTemplate {
  readonly source: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

/** Source and digests of a tokenizer, to compare the tokenizers of two runs. */
export interface TokenizerOrigin {
  /** As requested: a model or a folder. */
  readonly name: string;
  /** Where it was found, for display, such as `hub`. */
  readonly source: string;
  /** Commit on the model hub; null if it does not come from the hub. */
  readonly revision: string | null;
  /** SHA-256 of `tokenizer.json` or of the rank file. */
  readonly tokenizerSha256: string;
  /** SHA-256 of the template's source; null if there is none. */
  readonly templateSha256: string | null;
}

/** The parts of a model folder that the chat code uses. */
export interface ModelTokenizer {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate | null;
  readonly origin?: TokenizerOrigin;
}
