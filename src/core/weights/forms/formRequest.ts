/** Requests for weights in another form than Tinker's export. */

import { isLocalModel } from "../../config/fields/presets.ts";
import { familyOfName } from "./families.ts";

export interface FormRequest {
  /** For vLLM and SGLang, or merged into the base model. */
  readonly form: "vllm" | "merged";
  /** Folder of the base model; null if not available. */
  readonly base: string | null;
  /** Drops the learned change to the unembedding, which servers reject in an adapter. */
  readonly dropsUnembedding: boolean;
}

/** True if writing the form requires the base model's folder. Local models are part of the program. */
export function needsBase(form: FormRequest["form"], baseModel: string): boolean {
  if (form === "merged") return !isLocalModel(baseModel);
  const named = familyOfName(baseModel);
  return named === null || named.family.isServedFused;
}
