/** An adapter as a folder that `peft` can load: https://huggingface.co/docs/peft/developer_guides/checkpoint */

import { withoutOptimizer } from "./adapterFile.ts";
import { LORA_SCALE, PROJECTION_MODULES, PROJECTIONS } from "./architecture.ts";

export interface PeftAdapter {
  readonly baseModel: string;
  readonly rank: number;
  /** As stored, with or without optimizer state. */
  readonly bytes: Uint8Array;
}

/** File contents by name. @throws AppError `safetensors-invalid` */
export function peftFiles({
  baseModel,
  rank,
  bytes,
}: PeftAdapter): ReadonlyMap<string, Uint8Array> {
  const config = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: baseModel,
    r: rank,
    lora_alpha: LORA_SCALE * rank,
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    target_modules: PROJECTIONS.map((projection) =>
      PROJECTION_MODULES[projection].split(".").at(-1),
    ),
  };
  return new Map([
    ["adapter_config.json", new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`)],
    ["adapter_model.safetensors", withoutOptimizer(bytes)],
  ]);
}
