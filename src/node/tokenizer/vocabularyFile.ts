/** The file of a model folder that holds its vocabulary. */

export const TOKENIZER_JSON = "tokenizer.json";
/** What rank files are called on the model hub, but for those with a name of their own before the ending. */
const RANK_FILE = "tiktoken.model";
const RANK_ENDING = ".tiktoken";

/** In the order in which they count: `tokenizer.json` says more than a rank file. */
export const VOCABULARY_FILES: readonly string[] = [TOKENIZER_JSON, RANK_FILE];

/** For people. */
export const VOCABULARY_NAMES = `${TOKENIZER_JSON} or ${RANK_FILE}`;

/** The one among the names of a folder; null when none is. */
export function vocabularyFileOf(names: readonly string[]): string | null {
  const known = VOCABULARY_FILES.find((name) => names.includes(name));
  return known ?? names.find((name) => name.endsWith(RANK_ENDING)) ?? null;
}
