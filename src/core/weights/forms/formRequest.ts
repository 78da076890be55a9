/** The forms that weights can be asked for beside the one that Tinker exports. */

import { isLocalModel } from "../../config/fields/presets.ts";
import { familyOfName } from "./families.ts";

export interface FormRequest {
  /** For vLLM and SGLang, or merged. */
  readonly form: "vllm" | "merged";
  /** Folder of the base model; null where it is not at hand. */
  readonly base: string | null;
  /** Leaves out what was learned for the unembedding, which servers refuse in an adapter. */
  readonly dropsUnembedding: boolean;
}

/** True when the form can be written only with the folder of the base model. Local models have theirs in the program. */
export function needsBase(form: FormRequest["form"], baseModel: string): boolean {
  if (form === "merged") return !isLocalModel(baseModel);
  const named = familyOfName(baseModel);
  return named === null || named.family.isServedFused;
}
