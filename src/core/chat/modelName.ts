/** Finds the tokenizer for a model of the training service. */

import { plainModelName } from "../models/lineUp.ts";

/** The model settings of a configuration or of the run folder's copy. */
interface ModelNames {
  readonly model_name: string;
  readonly tokenizer_name?: string | null | undefined;
}

const VARIANT = /^([^/]+\/[^/]+)\/.+$/;
/** The original repositories require accepting a license; this copy holds the same files. */
const LLAMA_3 = {
  pattern: /^meta-llama\/Llama-3/,
  id: "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer",
};

/**
 * Hub id or folder of a configuration's tokenizer. `tokenizer_name` is used as is. Otherwise the id is derived from the
 * model name: `:suffix` is removed, three-part names become `<org>/<model>`, and all Llama 3 models share one open
 * repository.
 */
export function tokenizerNameOf({
  tokenizer_name: chosen,
  model_name: modelName,
}: ModelNames): string {
  if (chosen !== null && chosen !== undefined) return chosen;
  const id = plainModelName(modelName).replace(VARIANT, "$1");
  return LLAMA_3.pattern.test(id) ? LLAMA_3.id : id;
}
