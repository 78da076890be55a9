import { describe, expect, it } from "vitest";
import { modelFields } from "../../../src/core/config/fields/modelFields.ts";
import { formatByPattern, formatOfModel } from "../../../src/core/models/formatOfModel.ts";
import { FORMATS, type FormatFacts } from "../../../src/core/models/formats.ts";
import {
  contextOf,
  findLineUpModel,
  kindOf,
  LINE_UP,
  longestVariant,
  nearestModels,
} from "../../../src/core/models/lineUp.ts";

const kind = (name: string) => {
  const model = findLineUpModel(name);
  return model === null ? "unknown" : kindOf(model);
};

describe("the table of models", () => {
  it("has 26 listed models and 20 retired ones, each once", () => {
    expect(LINE_UP.filter(({ retired }) => retired === null)).toHaveLength(26);
    expect(LINE_UP.filter(({ listed }) => listed === null)).toHaveLength(20);
    expect(new Set(LINE_UP.map(({ name }) => name)).size).toBe(LINE_UP.length);
  });

  it("suggests a listed model of the same kind and input for each retired one", () => {
    for (const { name, retired, readsImages } of LINE_UP) {
      if (retired === null) continue;
      const instead = findLineUpModel(retired.instead);
      expect(instead?.listed, name).toBe("2026-08-19");
      if (readsImages) expect(instead?.readsImages, name).toBe(true);
      expect(kind(retired.instead) === "base", name).toBe(kind(name) === "base");
    }
  });

  it.each([
    ["Qwen/Qwen3.5-9B-Base", "base"],
    ["Qwen/Qwen3-4B-Instruct-2507", "instruct"],
    ["Qwen/Qwen3-8B", "hybrid"],
    ["thinkingmachines/Inkling", "hybrid"],
    ["openai/gpt-oss-20b", "reasoning"],
    ["zai-org/GLM-5.3", "reasoning"],
    ["moonshotai/Kimi-K3.1-Pro", null],
    ["Owner/Unknown", "unknown"],
  ])("%s is of kind %s", (name, expected) => {
    expect(kind(name)).toBe(expected);
  });

  it("has the context length of a plain name and of a variant", () => {
    expect(contextOf("Qwen/Qwen3.8-27B")).toBe(65_536);
    expect(contextOf("Qwen/Qwen3.8-27B:peft:262144")).toBe(262_144);
    expect(contextOf("zai-org/GLM-5.3")).toBe(262_144);
    expect(contextOf("moonshotai/Kimi-K3.1-Pro")).toBeNull();
    expect(longestVariant(findLineUpModel("Qwen/Qwen3.8-27B") ?? fail())).toBe(
      "Qwen/Qwen3.8-27B:peft:262144",
    );
    expect(longestVariant(findLineUpModel("Qwen/Qwen3-8B") ?? fail())).toBeNull();
  });
});

describe("the offered models that a name may mean", () => {
  it("are its variants, or else those with similar names", () => {
    const offered = ["zai-org/GLM-5.3:peft:262144", "Qwen/Qwen3.8-27B", "Qwen/Qwen3.6-27B"];
    expect(nearestModels("zai-org/GLM-5.3", offered)).toEqual(["zai-org/GLM-5.3:peft:262144"]);
    expect(nearestModels("Qwen/Qwen3.8-27B:peft:262144", offered)).toEqual(["Qwen/Qwen3.8-27B"]);
    expect(nearestModels("Qwen/Qwen3.5-27B", offered)).toEqual(offered.slice(1));
  });
});

function fail(): never {
  throw new Error("The table lacks the model.");
}

describe("the format of a model", () => {
  it("is taken from the table, or from its name if the table lacks it", () => {
    for (const { name, format } of LINE_UP)
      expect([name, formatByPattern(name)]).toEqual([name, format]);
    expect(formatOfModel("Qwen/Qwen3.5-9B-Base:peft:262144")).toBe("base");
    expect(formatOfModel("deepseek-ai/DeepSeek-V3.1:peft:65536")).toBe("deepseek-v3.1");
    expect(formatOfModel("someone/Qwen3.8-27B-tuned")).toBe("qwen3.8");
    expect(formatOfModel("moonshotai/Kimi-K3.1-Pro")).toBeNull();
  });
});

describe("thinking.effort", () => {
  it("accepts every word that a format defines", () => {
    const words: readonly string[] = modelFields.thinking.fields.effort.values;
    const facts: readonly FormatFacts[] = Object.values(FORMATS);
    expect(facts.flatMap(({ efforts }) => efforts).filter((word) => !words.includes(word))).toEqual(
      [],
    );
  });
});
