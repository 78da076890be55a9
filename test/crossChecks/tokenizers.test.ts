import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type ControlTokens, createControlTokens } from "../../src/core/chat/controlTokens.ts";
import { createRenderer } from "../../src/core/chat/setup/createRenderer.ts";
import type { Tokenizer } from "../../src/core/chat/tokenizer.ts";
import { compileOnFixedDay, hasData, readData, recordedTokenizer } from "./tokenizerData.ts";

const FAMILIES = ["qwen3", "qwen2.5", "llama3", "deepseek-v3", "gpt-oss", "gpt2"];
const isThere = hasData();

const ids = z.array(z.int());
const encoding = z.object({ family: z.string(), text: z.string(), ids });
const golden = encoding.extend({ decoded: z.string().optional() });
const scenario = z.object({ name: z.string(), context: z.record(z.string(), z.unknown()) });
const render = z.union([z.object({ text: z.string() }), z.object({ error: z.string() })]);
const renders = z.record(z.string(), z.record(z.string(), render));

const goldens = z.array(golden).parse(
  isThere
    ? readData("golden/encode.jsonl.gz")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [],
);
const llamaCpp = z
  .array(encoding)
  .parse(isThere ? JSON.parse(readData("golden/llamacpp_vectors.json")) : []);

describe.skipIf(!isThere).each(FAMILIES)("the tokenizer of %s", (family) => {
  let tokenizer: Tokenizer;
  let controls: ControlTokens;
  beforeAll(async () => {
    tokenizer = await recordedTokenizer(family);
    controls = createControlTokens(tokenizer);
  });

  const own = goldens.filter((vector) => vector.family === family);
  const fromLlamaCpp = llamaCpp.filter((vector) => vector.family.split("/").includes(family));

  it("encodes every recorded text like the original", () => {
    expect(own.length).toBeGreaterThan(500);
    const wrong = [...own, ...fromLlamaCpp].filter(
      ({ text, ids: expected }) => controls.encode(text).join() !== expected.join(),
    );
    expect(wrong).toEqual([]);
  });

  it("decodes all recorded ids like the original", () => {
    const wrong = own.filter(
      ({ text, decoded, ids: given }) => tokenizer.decode(given) !== (decoded ?? text),
    );
    expect(wrong).toEqual([]);
  });

  it("makes no control token from any recorded text", () => {
    const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
    const forged = own.filter(({ text }) => tokenizer.encodeText(text).some((id) => added.has(id)));
    expect(forged).toEqual([]);
  });
});

/** `template scenario` of every render that differs from Python's, by the reason why that does no harm. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  "small exponents print as 1e-7, not 1e-07; arguments of calls are never rendered again": [
    ..."gpt-oss kimi-k2-instruct kimi-k2-thinking llama3.1-and-3.3 llama3.2 nemotron3-nano nemotron3-super nemotron3-ultra"
      .concat(
        " qwen2.5 qwen3-2025-04 qwen3 qwen3-coder qwen3-instruct-2507 qwen3-prefix-preserving-trl qwen3-vl",
      )
      .concat(" qwen3.5-nothinking-default qwen3.5-thinking-default qwen3.6")
      .split(" ")
      .map((template) => `${template} args-float`),
  ],
};

describe.skipIf(!isThere)("chat templates", () => {
  it("render every recorded conversation like Python, except for the listed exceptions", () => {
    const scenarios = z
      .array(scenario)
      .parse(JSON.parse(readData("golden/template_scenarios.json")));
    const recorded = renders.parse(JSON.parse(readData("golden/template_renders.json.gz")));
    const different = Object.entries(recorded).flatMap(([template, byScenario]) => {
      const compiled = compileOnFixedDay(readData(`chat_templates/${template}.jinja`));
      return scenarios
        .filter(({ name, context }) => {
          const variables = { tools: null, ...TOKENS, ...context };
          const expected = byScenario[name];
          return (
            textOf(() => compiled(variables)) !==
            (expected && "text" in expected ? expected.text : null)
          );
        })
        .map(({ name }) => `${template} ${name}`);
    });
    expect(different.sort()).toEqual(Object.values(EXCEPTIONS).flat().sort());
  });
});

/** Templates of Qwen's models, and whether they keep reasoning when a message follows. */
const QWEN_TEMPLATES: readonly (readonly [template: string, keepsReasoning: boolean])[] = [
  ["qwen3-2025-04", false],
  ["qwen3", false],
  ["qwen3-prefix-preserving-trl", true],
  ["qwen3-instruct-2507", true],
  ["qwen3-vl", true],
];

describe.skipIf(!isThere)("the chat format made from the template", () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await recordedTokenizer("qwen3");
  });

  it.each(QWEN_TEMPLATES)("%s works, and keeps reasoning: %s", (name, keepsReasoning) => {
    const source = readData(`chat_templates/${name}.jinja`);
    const model = { tokenizer, template: { source, bosToken: "", eosToken: "<|im_end|>" } };
    const create = (enabled: boolean, retention: "all" | "template") =>
      createRenderer({
        date: "2026-01-02",
        model,
        config: {
          model_name: "Qwen/Qwen3-8B",
          chat_format: "template",
          system_prompt_template: null,
          thinking: { enabled, effort: null, retention },
        },
      });
    expect(create(false, "all").renderer.id).toBe("template/qwen3/plain");
    expect(create(true, "all").renderer.id).toBe("template/qwen3/thinking");
    expect(create(true, "template").retention).toBe(keepsReasoning ? "all" : "template");
  });
});

/** Models without reasoning whose calls are JSON between tags. */
const HERMES_TEMPLATES: readonly (readonly [template: string, model: string])[] = [
  ["qwen2.5", "Qwen/Qwen2.5-7B-Instruct"],
  ["hermes3-tool_use", "NousResearch/Hermes-3-Llama-3.1-8B"],
];

describe.skipIf(!isThere)("the chat format of models with Hermes-style tool calls", () => {
  it.each(HERMES_TEMPLATES)("%s works, by the name %s and by the template", async (name, model) => {
    const tokenizer = await recordedTokenizer("qwen2.5");
    const source = readData(`chat_templates/${name}.jinja`);
    for (const chat_format of ["auto", "template"] as const) {
      const { renderer, warnings } = createRenderer({
        date: "2026-01-02",
        model: { tokenizer, template: { source, bosToken: "", eosToken: "<|im_end|>" } },
        config: {
          model_name: model,
          chat_format,
          system_prompt_template: null,
          thinking: { enabled: false, effort: null, retention: "all" },
        },
      });
      expect(renderer.id).toBe("template/chatml/plain");
      expect(warnings).toEqual([]);
    }
  });
});

const TOKENS = { bos_token: "<BOS>", eos_token: "<EOS>", pad_token: "<PAD>" };

/** Null for a template that rejects its input: the error messages of the two engines differ. */
function textOf(work: () => string): string | null {
  try {
    return work();
  } catch {
    return null;
  }
}
