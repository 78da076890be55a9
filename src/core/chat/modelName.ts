/** Which tokenizer belongs to a model of the training service. */

/** What a configuration says about it, the run folder's copy included. */
interface ModelNames {
  readonly model_name: string;
  readonly tokenizer_name?: string | null | undefined;
}

const VARIANT = /^([^/]+\/[^/]+)\/.+$/;
/** The original repositories need a license click; this copy holds the same files. */
const LLAMA_3 = {
  pattern: /^meta-llama\/Llama-3/,
  id: "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer",
};

/**
 * The model hub's id or the folder of a configuration's tokenizer. `tokenizer_name` is taken as it is. The one that belongs to a
 * model: without a `:suffix`, `<org>/<model>` of three-part names, and one free repository for all of Llama 3.
 */
export function tokenizerNameOf({
  tokenizer_name: chosen,
  model_name: modelName,
}: ModelNames): string {
  if (chosen !== null && chosen !== undefined) return chosen;
  const plain = modelName.replace(/:.*$/, "");
  const id = plain.replace(VARIANT, "$1");
  return LLAMA_3.pattern.test(id) ? LLAMA_3.id : id;
}
