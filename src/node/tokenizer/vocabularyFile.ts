/** Finds the vocabulary file of a model folder. */

export const TOKENIZER_JSON = "tokenizer.json";
/** The usual name of rank files on the model hub; some have their own name with the ending `.tiktoken`. */
const RANK_FILE = "tiktoken.model";
const RANK_ENDING = ".tiktoken";

/** In order of precedence: `tokenizer.json` contains more than a rank file. */
export const VOCABULARY_FILES: readonly string[] = [TOKENIZER_JSON, RANK_FILE];

/** For messages. */
export const VOCABULARY_NAMES = `${TOKENIZER_JSON} or ${RANK_FILE}`;

/** The vocabulary file among the names in a folder; null if there is none. */
export function vocabularyFileOf(names: readonly string[]): string | null {
  const known = VOCABULARY_FILES.find((name) => names.includes(name));
  return known ?? names.find((name) => name.endsWith(RANK_ENDING)) ?? null;
}
