/** The forms that weights can be had in beside the one that Tinker exports. */

export interface FormRequest {
  /** For vLLM and SGLang, or merged. */
  readonly form: "vllm" | "merged";
  /** Folder of the base model; null where it is not at hand. */
  readonly base: string | null;
  /** Leaves out what was learned for the unembedding, which servers refuse in an adapter. */
  readonly dropsUnembedding: boolean;
}
