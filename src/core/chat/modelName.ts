/** Which tokenizer belongs to a model name of the training service. */

const VARIANT = /^([^/]+\/[^/]+)\/.+$/;
/** The original repositories need a licence click; this copy holds the same files. */
const LLAMA_3 = {
  pattern: /^meta-llama\/Llama-3/,
  id: "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer",
};

/**
 * The model hub's id of the tokenizer of `modelName`: without a `:suffix`, `<org>/<model>` of three-part names, and one free
 * repository for all of Llama 3. A name given as `tokenizer_name` is taken as it is.
 */
export function tokenizerIdOf(modelName: string): string {
  const plain = modelName.replace(/:.*$/, "");
  const id = plain.replace(VARIANT, "$1");
  return LLAMA_3.pattern.test(id) ? LLAMA_3.id : id;
}
