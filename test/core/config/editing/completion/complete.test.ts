import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { complete } from "../../../../../src/core/config/editing/completion/complete.ts";
import type { Completion } from "../../../../../src/core/config/editing/completion/completion.ts";
import { diagnose } from "../../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { allPairs } from "../../../../../src/core/config/editing/text/nodeAt.ts";
import { shapeAt } from "../../../../../src/core/config/fields/fields.ts";
import { readYaml } from "../../../../../src/core/config/source/yamlSource.ts";
import { textWith } from "../../configText.ts";
import { aCheckpoint, CATALOGUE, checkpointCatalogue, GONE } from "../aCatalogue.ts";

/** Completions at the `|` in a text. */
function at(marked: string, path = "run.yaml"): readonly Completion[] {
  const offset = marked.indexOf("|");
  return complete(marked.replace("|", ""), offset, { path, catalogue: CATALOGUE });
}

function labels(marked: string, path?: string): readonly string[] {
  return at(marked, path)
    .toSorted((a, b) => (a.sort < b.sort ? -1 : 1))
    .map(({ label }) => label);
}

/** The text after accepting a completion, with every snippet placeholder at its default. */
function accepted(marked: string, label: string, path?: string): string {
  const entry = at(marked, path).find((one) => one.label === label);
  if (entry === undefined) throw new Error(`${label} is not offered`);
  const text = marked.replace("|", "");
  const { start, end } = entry.replace;
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const indent = /^ */.exec(line)?.[0] ?? "";
  const plain = entry.snippet
    .replace(/\$\{\d+:((?:[^}\\]|\\.)*)\}/g, "$1")
    .replace(/\$\d+/g, "")
    .replace(/\\(.)/g, "$1")
    .replaceAll("\n", `\n${indent}`);
  return text.slice(0, start) + plain + text.slice(end);
}

const START = "model_name: Qwen/Qwen3-8B\nbatch_size: 4\n";

describe("keys", () => {
  it("start with commonly used ones once the required ones are present", () => {
    const required = "model_name: local/tiny-tool\nbatch_size: 2\nmax_steps: 4\n";
    const inside =
      "environments:\n  Owner/Game:\n    splits: {train: {}}\n    num_rollouts: 8\n    ";
    expect(labels(`${required}${inside}|`).slice(0, 3)).toEqual([
      "temperature",
      "nonterminal_reward",
      "max_turns",
    ]);
    const top = labels(`${required}${inside}max_turns: 8\n|`).slice(0, 12);
    expect(top).toEqual(expect.arrayContaining(["lora_rank", "learning_rate", "save_every"]));
  });

  it("are the missing ones, with required ones first and deprecated ones last", () => {
    const offered = labels("model_name: a/b\n|");
    expect(offered.slice(0, 2)).toEqual(["environments", "batch_size"]);
    expect(offered).not.toContain("model_name");
    expect(offered.indexOf("learning_rate")).toBeLessThan(offered.indexOf("adam_beta1"));
    expect(offered.at(-1)).toBe("max_rollout_concurrency");
  });

  it("include those of an entry in a list of mappings", () => {
    const keys = ["webhook", "webhook_variable", "format", "command", "on"];
    expect(labels(`${START}notify:\n  - |`)).toEqual(keys);
    expect(labels(`${START}notify:\n  - webhook_variable: HOOK\n    |`)).toEqual(
      keys.filter((key) => key !== "webhook_variable"),
    );
    expect(labels(`${START}notify:\n  - format: |`)).toEqual(
      expect.arrayContaining(["slack", "discord", "json"]),
    );
    expect(labels(`${START}notify:\n  - on: [end, |]`)).toEqual(
      expect.arrayContaining(["failure", "alarm", "budget"]),
    );
  });

  it.each([
    ["at the indent of its mapping", "environments:\n  Owner/Game:\n    num_rollouts: 4\n    |"],
    ["before the other keys", "environments:\n  Owner/Game:\n    |\n    num_rollouts: 4\n"],
    ["in the middle of a word", "environments:\n  Owner/Game:\n    num_rollouts: 4\n    temp|"],
    [
      "with a broken line above",
      "environments:\n  Owner/Game:\n    %% ]]\n    num_rollouts: 4\n    |",
    ],
    [
      "with a bracket left open above",
      "loss_fn_config: {beta: 1\nenvironments:\n  Owner/Game:\n    num_rollouts: 4\n    |",
    ],
    ["with Windows line breaks", "environments:\r\n  Owner/Game:\r\n    num_rollouts: 4\r\n    |"],
    ["in a flow mapping", "environments: {Owner/Game: {num_rollouts: 4, |"],
    [
      "in a multi-line flow mapping",
      "environments:\n  Owner/Game: {\n    num_rollouts: 4,\n    te|\n  }\n",
    ],
  ])("of an environment are offered %s", (_, marked) => {
    const offered = labels(marked);
    expect(offered).toContain("temperature");
    expect(offered).not.toContain("num_rollouts");
    expect(offered).not.toContain("batch_size");
  });

  it("of an environment depend on its type", () => {
    const keysOf = (name: string) => labels(`environments:\n  ${name}:\n    |`);
    expect(keysOf("Owner/Game")).toContain("server");
    expect(keysOf("Owner/Game")).not.toContain("grader");
    expect(keysOf("local/dataset:sums")).toContain("grader");
    expect(keysOf("local/dataset:sums")).not.toContain("server");
    expect(keysOf("local/depot")).not.toContain("server");
  });

  it("of the top level are offered below deeper ones", () => {
    const offered = labels(`${START}environments:\n  Owner/Game:\n    splits: {train: }\n|`);
    expect(offered).toContain("learning_rate");
    expect(offered).not.toContain("temperature");
    expect(offered).not.toContain("environments");
  });

  it.each(["# lo|", "learning_rate: 1e-5 # wh|", "system_prompt_template: |-\n  You a|"])(
    "are not offered in %j",
    (marked) => {
      const hidden = marked.replace("|-", "\u0000-");
      const offset = hidden.indexOf("|");
      const text = hidden.replace("|", "").replace("\u0000", "|");
      expect(complete(text, offset, { path: "run.yaml" })).toEqual([]);
    },
  );

  it("are completed with what their value needs", () => {
    expect(accepted("bat|", "batch_size")).toBe("batch_size: 32");
    expect(accepted("learn|", "learning_rate")).toBe("learning_rate: ");
    expect(accepted("env|", "environments")).toBe("environments:\n  ");
    expect(accepted("lea|: 1", "learning_rate")).toBe("learning_rate: 1");
    expect(accepted("evaluation:\n  spl|", "splits")).toBe("evaluation:\n  splits:\n    ");
    expect(accepted('{"lea|"}', "learning_rate", "run.json")).toBe('{"learning_rate": }');
    expect(accepted('{"env|', "environments", "run.json")).toBe('{"environments": {}');
  });

  it("of loss parameters depend on the loss", () => {
    expect(labels("loss_fn_config:\n  |")).toEqual(["clip_low_threshold", "clip_high_threshold"]);
    expect(labels("loss_fn: dro\nloss_fn_config: {|}")).toEqual(["beta"]);
    expect(labels("off_policy_correction_config: {|}")).toEqual([]);
    const masked = "off_policy_correction: icepop\noff_policy_correction_config:\n  |";
    expect(labels(masked)).toEqual(["ratio_low", "ratio_high"]);
  });
});

describe("names from the catalogue", () => {
  it("complete a whole environment", () => {
    const text = accepted(`${START}max_steps: 1\nenvironments:\n  |`, "Owner/Game");
    expect(text).toContain(
      "  Owner/Game:\n    splits:\n      train: {}\n    num_rollouts: 8\n    nonterminal_reward: 0",
    );
    expect(diagnose(text, { path: "run.yaml", catalogue: CATALOGUE })).toEqual([]);
  });

  it("show an environment's number of tasks and tools", () => {
    const [first] = at("model_name: local/tiny-tool\nenvironments:\n  |");
    expect(first).toMatchObject({ label: "local/calculator", detail: "128 train tasks · 2 tools" });
  });

  it("exclude environments that are already present", () => {
    const marked = "environments:\n  Owner/Game:\n    num_rollouts: 4\n  |";
    expect(labels(marked)).not.toContain("Owner/Game");
  });

  it.each([
    "environments:\n  Owner/Game:\n    splits:\n      |",
    "environments:\n  Owner/Game:\n    splits: {|}",
    "environments:\n  Owner/Game: {splits: {t|",
  ])("complete splits in %j", (marked) => {
    expect(labels(marked)).toEqual(["train", "test"]);
  });

  it.each([
    [
      "evaluation:\n  splits:\n    Owner/Game: [|]",
      "evaluation:\n  splits:\n    Owner/Game: [test]",
    ],
    [
      "evaluation:\n  splits:\n    Owner/Game:\n      - |",
      "evaluation:\n  splits:\n    Owner/Game:\n      - test",
    ],
    [
      "evaluation:\n  splits:\n    Owner/Game:\n    - te|",
      "evaluation:\n  splits:\n    Owner/Game:\n    - test",
    ],
  ])("complete list items in %j", (marked, text) => {
    expect(accepted(marked, "test")).toBe(text);
  });

  it("complete models, with context length and rank", () => {
    expect(labels("model_name: |").slice(0, 3)).toEqual([
      "Qwen/Qwen3-8B",
      "Qwen/Qwen3-30B-A3B",
      "local/tiny-tool",
    ]);
    expect(at("model_name: Qw|")[0]?.detail).toBe("32,768 tokens · rank up to 64");
    expect(accepted("model_name: Qw|", "Qwen/Qwen3-8B")).toBe("model_name: Qwen/Qwen3-8B");
    expect(accepted('{"model_name": "Q|"}', "Qwen/Qwen3-8B", "run.json")).toBe(
      '{"model_name": "Qwen/Qwen3-8B"}',
    );
  });

  it.each([
    ["without a key", null, "local/tiny-tool"],
    ["with one", "store", "Qwen/Qwen3-8B"],
  ] as const)("%s for Tinker begin with a model that can be trained", (_, origin, first) => {
    const catalogue = { ...CATALOGUE, secrets: [{ name: "TINKER_API_KEY", origin }] };
    const text = "model_name: ";
    const [model] = complete(text, text.length, { path: "run.yaml", catalogue });
    expect(model?.label).toBe(first);
  });

  it("complete secrets that an environment requires", () => {
    const marked = "environments:\n  GeneralReasoning/WhoDunIt:\n    secrets:\n      |";
    expect(at(marked)[0]).toMatchObject({ label: "OPENAI_API_KEY", detail: "not set" });
    expect(accepted(marked, "OPENAI_API_KEY")).toMatch(/OPENAI_API_KEY: null$/);
  });
});

describe("values", () => {
  it.each([
    ["loss_fn: |", ["ppo", "cispo"]],
    ["thinking: |", ["true", "false"]],
    ["wandb: on|", ["online"]],
    ["zero_variance:\n  |", ["drop", "keep", "null"]],
    ["environments: {a/b: {on_image: |}}", ["error", "placeholder"]],
    ["learning_rate: |", ["4e-5", "1e-5", "2e-5"]],
    ["model_name: local/tiny-tool\nlearning_rate: |", ["1e-3", "5e-4", "2e-3"]],
    ["save_every: |", ["10"]],
    ["run_name: |", ["run"]],
  ])("are offered for %j", (marked, expected) => {
    expect(labels(marked)).toEqual(expect.arrayContaining(expected));
  });

  it("get the space that YAML requires after the colon", () => {
    expect(accepted("loss_fn:|", "ppo")).toBe("loss_fn: ppo");
    expect(accepted("train_attn:|", "false")).toBe("train_attn: false");
  });

  it.each(["evaluation:", "stages:", "stages:\n  rl:", "prices:", "data:", "notify:", "thinking:"])(
    "are not offered directly after %j, where Enter starts a block",
    (text) => {
      expect(labels(`${text}|`)).toEqual([]);
    },
  );

  it("for a whole block are offered after a space", () => {
    expect(labels("evaluation: |")).toEqual(["null"]);
    expect(labels("thinking: |")).toEqual(["true", "false"]);
    expect(labels("data: |")).toContain("[]");
  });
});

it("an empty file offers complete configurations, all valid", () => {
  const snippets = at("|").filter(({ kind }) => kind === "snippet");
  expect(snippets.length).toBeGreaterThan(1);
  for (const { label } of snippets) {
    expect(
      diagnose(accepted("|", label), { path: "run.yaml" }).filter(
        ({ severity }) => severity !== "hint",
      ),
    ).toEqual([]);
  }
});

describe("while an example is being typed", () => {
  const example = readFileSync("examples/local/tinker-config.yaml", "utf8");
  const keys = allPairs(readYaml(example, "yaml")).filter(
    ({ path }) => shapeAt(path.slice(0, -1))?.type === "object",
  );
  const lineAfter = (offset: number): number => example.indexOf("\n", offset);

  it.each(keys.map(({ path, pair }) => [path.join(" > "), pair.keySpan] as const))(
    "%s is offered at each of its letters, with and without the following text",
    (path, { start, end }) => {
      for (let offset = start + 1; offset <= end; offset++) {
        const begun = example.slice(0, offset);
        const texts = [begun, begun + example.slice(end), begun + example.slice(lineAfter(end))];
        for (const text of texts) {
          const offered = complete(text, offset, { path: "run.yaml" }).map(({ label }) => label);
          expect(offered, JSON.stringify(text.slice(-60))).toContain(path.split(" > ").at(-1));
        }
      }
    },
  );
});

describe("completion of a stage", () => {
  const stages = "stages:\n  collect:\n    method: collect\n  imitate:\n    method: sft\n";

  it("offers runs of earlier stages, the previous one first", () => {
    expect(labels(`${stages}  rl:\n    init_from: |`).slice(0, 2)).toEqual([
      "stage:imitate",
      "stage:collect",
    ]);
    expect(accepted(`${stages}  rl:\n    init_from: st|`, "stage:imitate")).toMatch(
      /init_from: stage:imitate$/,
    );
    for (const place of ["kl_reference: |", "teacher:\n      checkpoint: |"]) {
      expect(labels(`${stages}  rl:\n    ${place}`)).toContain("stage:imitate");
    }
    expect(labels(`${stages}    data:\n      - run: |`)).toContain("stage:collect");
  });

  it.each([
    "loss_fn: ppo\nloss_fn_config:\n  |",
    "evaluation:\n  splits:\n    Owner/Game: [|]",
    "environments:\n  local/calculator:\n    |",
    "environments:\n  Owner/Game:\n    splits:\n      |",
  ])("offers in a stage what it offers at the top: %j", (text) => {
    const atTop = labels(`${START}${text}`);
    expect(atTop).not.toEqual([]);
    const indented = text.replaceAll("\n", "\n    ");
    expect(labels(`${START}stages:\n  one:\n    ${indented}`)).toEqual(atTop);
  });

  it("offers neither the same stage nor a later one, and none for a run without stages", () => {
    const inFirst = "stages:\n  imitate:\n    init_from: |\n  rl:\n    max_steps: 4\n";
    for (const marked of [inFirst, `${stages}init_from: |`, "data:\n  - run: |"]) {
      expect(labels(marked).filter((label) => label.startsWith("stage:"))).toEqual([]);
    }
  });
});

describe("a complete value", () => {
  it("is offered with all alternatives, which an editor does not filter out", () => {
    const written = at("model_name: local/tiny-tool|\n");
    expect(written.length).toBeGreaterThan(1);
    expect(new Set(written.map(({ filter }) => filter))).toEqual(new Set(["local/tiny-tool"]));
    const begun = at("model_name: local/tiny|\n");
    expect(new Set(begun.map(({ filter }) => filter)).size).toBe(begun.length);
  });
});

describe("completion of init_from", () => {
  it("offers existing checkpoints, the newest first and the best second, with unique labels", () => {
    const catalogue = checkpointCatalogue(
      aCheckpoint("tinker://s:train:0/weights/checkpoint_000010", {
        step: 9,
        ageMs: 3000,
        reward: 0.2,
        kind: "periodic",
      }),
      aCheckpoint("tinker://s:train:0/weights/checkpoint_000020", {
        step: 19,
        ageMs: 2000,
        reward: 0.9,
        kind: "periodic",
      }),
      aCheckpoint(GONE, { kind: "rolling", ageMs: 500, isGone: true }),
      aCheckpoint("tinker://s:train:0/weights/old", { ageMs: 100, expiresInMs: -1 }),
      aCheckpoint("tinker://s:train:0/weights/final_000030", {
        step: 29,
        ageMs: 1000,
        reward: 0.6,
        kind: "final",
        expiresInMs: 7_200_000,
      }),
      aCheckpoint("tinker://t:train:0/weights/final_000030", {
        step: 29,
        ageMs: 4000,
        reward: 0.1,
        kind: "final",
      }),
    );
    const text = textWith("init_from: ");
    const offered = complete(text, text.length, { path: "run.yaml", catalogue })
      .filter(({ kind }) => kind === "checkpoint")
      .toSorted((a, b) => (a.sort < b.sort ? -1 : 1));
    expect(offered.map(({ label }) => label)).toEqual([
      "first · step 30 · s:train:0/weights/final_000030",
      "first · step 20",
      "first · step 10",
      "first · step 30 · t:train:0/weights/final_000030",
    ]);
    expect(offered[0]?.detail).toBe("final · reward 0.60 · Qwen/Qwen3-8B · expires in 2 h 00 min");
  });
});
