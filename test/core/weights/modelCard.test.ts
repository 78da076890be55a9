import { describe, expect, it } from "vitest";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import {
  AS_EXPORTED,
  type CardForm,
  isCardOf,
  modelCard,
  type RunOfWeights,
} from "../../../src/core/weights/modelCard.ts";
import { aCheckpointEntry, aStoredResult } from "../runFolder/builders.ts";

const PATH = "tinker://s:train:0/weights/final_000002";
const CHECKPOINT: CheckpointEntry = aCheckpointEntry({
  name: "final_000002",
  kind: "final",
  state_path: PATH,
  metrics: { "rollout/reward/mean": 0.53125 },
  created_at: "2026-11-22T09:41:00.000Z",
});

function aRun(changes: Partial<RunOfWeights> = {}): RunOfWeights {
  return {
    name: "demo",
    checkpoint: CHECKPOINT,
    method: "rl",
    environments: ["local/calculator"],
    evaluations: [],
    config: "model_name: local/tiny-tool\n",
    changes: [],
    ...changes,
  };
}

function card(
  run: RunOfWeights | null,
  baseModel = "org/model",
  form: CardForm = AS_EXPORTED,
): string {
  return modelCard({ baseModel, rank: 8, path: PATH, run, form, base: null });
}

const SERVED: CardForm = { kind: "served", highestRank: 40, lacksUnembedding: false };

describe("a model card", () => {
  it("begins with the front matter of model hubs", () => {
    expect(card(null).split("\n").slice(0, 4)).toEqual([
      ...["---", 'base_model: "org/model"', "library_name: peft", "tags:"],
    ]);
    expect(card(null, 'a"\nlicense')).toContain('base_model: "a\\"\\nlicense"');
  });

  it("names the base model without its variant, except in the table", () => {
    const long = "org/model:peft:262144";
    for (const form of [AS_EXPORTED, SERVED]) {
      const [table, ...others] = card(null, long, form).split(
        "| Base model | org/model:peft:262144 |",
      );
      expect(others).toHaveLength(1);
      expect(`${table}${others}`).not.toContain("262144");
      expect(`${table}${others}`).toContain("org/model");
    }
  });

  it("loads a vision model with the class that knows it", () => {
    for (const form of [AS_EXPORTED, { kind: "merged" } as const]) {
      const text = card(null, "Qwen/Qwen3-VL-30B-A3B-Instruct", form);
      expect(text).toContain("AutoModelForImageTextToText.from_pretrained(");
      expect(text).not.toContain("AutoModelForCausalLM");
    }
  });

  it("without a run states what is known about the weights, and nothing about a run", () => {
    const text = card(null);
    expect(text).toContain("| LoRA rank | 8 |");
    expect(text).toContain(`| Checkpoint | \`${PATH}\` |`);
    expect(text).not.toContain("Environments");
    expect(text).not.toContain("## Evaluation");
    expect(text).not.toContain("## Configuration");
    expect(text).toContain("LoRA weights that were trained.");
    expect(text).not.toContain("reinforcement");
  });

  it("states how the weights were trained", () => {
    expect(card(aRun())).toContain("LoRA weights that were trained with reinforcement learning.");
    expect(card(aRun())).toContain("- reinforcement-learning\n");
    const imitating = card(aRun({ method: "sft", environments: [] }));
    expect(imitating).toContain("LoRA weights that were trained by imitating examples.");
    expect(imitating).not.toMatch(/reinforcement|Environments/);
  });

  it("of a run's weights has its step, environments, reward, and configuration", () => {
    const text = card(aRun());
    expect(text).toContain("# demo\n");
    expect(text).toContain("| Step | 2 |");
    expect(text).toContain("| Environments | `local/calculator` |");
    expect(text).toContain("| Mean reward of the step before it | 0.53 |");
    expect(text).toContain("```yaml\nmodel_name: local/tiny-tool\n```");
  });

  it("states the form of the weights, and how to use them", () => {
    const served = card(aRun({ name: "my run" }), "org/model", SERVED);
    expect(served).toContain("| Form | LoRA adapter with the names of vLLM and SGLang |");
    expect(served).toContain(
      "vllm serve org/model --enable-lora --max-lora-rank 64 --lora-modules my-run=.\n",
    );
    expect(served).toContain(
      "sglang.launch_server --model-path org/model --enable-lora --lora-paths my-run=.\n",
    );
    const merged = card(null, "org/model", { kind: "merged" });
    expect(merged).toContain("library_name: transformers");
    expect(merged).toContain("vllm serve .\n");
    expect(merged).not.toContain("peft");
    expect(card(null)).toContain('PeftModel.from_pretrained(base, ".")');
  });

  it("states what servers refuse, and what was omitted for them", () => {
    expect(card(null)).toContain("refuse an adapter that changes the unembedding");
    const lacking = card(null, "org/model", { ...SERVED, lacksUnembedding: true });
    expect(lacking).toContain("this is not quite the model that was trained");
    expect(card(null, "org/model", SERVED)).not.toContain("unembedding");
  });

  it("describes weights without the unembedding only to those who drop it", () => {
    const source = { path: PATH, kind: "served", base: null } as const;
    const lacking = card(null, "org/model", { ...SERVED, lacksUnembedding: true });
    expect(isCardOf(lacking, { ...source, dropsUnembedding: true })).toBe(true);
    expect(isCardOf(lacking, { ...source, dropsUnembedding: false })).toBe(false);
    const whole = card(null, "org/model", SERVED);
    expect(isCardOf(whole, { ...source, dropsUnembedding: true })).toBe(true);
  });

  it("quotes a model name for the shell", () => {
    const text = card(null, "a; rm -rf $HOME", SERVED);
    expect(text).toContain("vllm serve 'a; rm -rf $HOME' --enable-lora");
  });

  it("has a row for each evaluation result", () => {
    const result = aStoredResult({ tasks: 40, rewardMean: 0.7, low: 0.55, high: 0.8251 });
    const evaluations = [{ step: 2, purpose: "end", timeMs: 0, results: [result] }];
    expect(card(aRun({ evaluations }))).toContain(
      "| `local/calculator` | test | 0 | 0.70 [0.55, 0.83] | 40 |",
    );
  });

  it("lists what changed while the weights were trained", () => {
    const changes = ["step 15: learning_rate 0.004 → 0.2"];
    expect(card(aRun({ changes }))).toMatch(
      /```\n\nChanged during training:\n\n- step 15: learning\\_rate 0\.004 → 0\.2\n$/,
    );
  });

  it("stays one table and one block for any names and configuration", () => {
    const environments = ["a|b\n# Title", "<script>"];
    const config = 'prompt: |\n  ```\n  ````\nkey: "`"\n';
    const text = card(aRun({ name: "x\n# y", environments, config }));
    expect(text).toContain("# x \\# y\n");
    expect(text).toContain("| Environments | `a\\|b # Title`, `<script>` |");
    expect(text).toContain(`\`\`\`\`\`yaml\n${config}\`\`\`\`\``);
  });

  it("shows names as text, whatever markup they contain", () => {
    const name =
      "![x](https://stranger.example/p.png) [l](https://stranger.example) *b* &lt; \u202Eevil";
    const text = card(
      aRun({ name, environments: ["a` ![x](y) `b", "`"] }),
      "[m](https://s.example)",
    );
    expect(text).toContain(
      "# \\!\\[x\\](https\\://stranger.example/p.png) \\[l\\](https\\://stranger.example) \\*b\\* \\&lt; ",
    );
    expect(text).not.toMatch(/\p{Cf}/u);
    expect(text).toContain("| Environments | ``a` ![x](y) `b``, `` ` `` |");
    expect(text).toContain("| Base model | \\[m\\](https\\://s.example) |");
  });
});
