import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fitThinking } from "../../../../src/core/chat/setup/thinking.ts";
import { complete } from "../../../../src/core/config/editing/completion/complete.ts";
import { TEMPLATES } from "../../../../src/core/config/editing/completion/templates.ts";
import { diagnose } from "../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { hover } from "../../../../src/core/config/editing/display/hover.ts";
import { fixesAt } from "../../../../src/core/config/editing/fixes/fixes.ts";
import { applyEdits } from "../../../../src/core/config/editing/text/textEdit.ts";
import { modelFields } from "../../../../src/core/config/fields/modelFields.ts";
import { isLocalModel } from "../../../../src/core/config/fields/presets.ts";
import { formatFactsOf } from "../../../../src/core/models/formatOfModel.ts";
import {
  findLineUpModel,
  kindOf,
  LINE_UP,
  listedModels,
} from "../../../../src/core/models/lineUp.ts";
import { LINE_UP_DATE } from "../../../../src/core/models/lineUpRows.ts";
import { configIn, messagesIn, parse } from "../configText.ts";
import { CATALOGUE, listing } from "../editing/aCatalogue.ts";

/** A configuration of this model that is valid apart from `lines`. */
function textOf(model: string, ...lines: readonly string[]): string {
  return `model_name: ${model}
batch_size: 4
num_epochs: 1
environments:
  Owner/Game: { num_rollouts: 4, nonterminal_reward: 0, splits: { train: {} } }
${lines.map((line) => `${line}\n`).join("")}`;
}

const said = (model: string, ...lines: readonly string[]) => messagesIn(textOf(model, ...lines));

const SOUND = listedModels()
  .filter((model) => model.format !== null && kindOf(model) !== "base")
  .map(({ name }) => name);
const RETIRED = LINE_UP.flatMap(({ name, retired }) =>
  retired === null ? [] : [{ name, ...retired }],
);

describe("a listed model", () => {
  it.each(SOUND)("%s needs nothing but its name", (model) => {
    expect(said(model)).toEqual([]);
  });

  it.each(["Qwen/Qwen3.5-9B-Base", "Qwen/Qwen3.5-35B-A3B-Base"])(
    "%s causes a warning that a base model makes no tool calls",
    (model) => {
      expect(said(model)).toEqual([
        expect.stringMatching(
          new RegExp(
            `^run.yaml:1:13: warning: TRL216 .*${model}.*base model.*chat_format: reference`,
          ),
        ),
      ]);
      expect(said(model, "chat_format: reference")).toEqual([]);
    },
  );

  it.each([
    ["moonshotai/Kimi-K3.1-Pro", "moonshotai/Kimi-K2.6"],
    ["thinkingmachines/Inkling-2-Small", "thinkingmachines/Inkling-Small"],
  ])("%s is refused because its format is not public", (model, instead) => {
    const [message = "", ...others] = said(model);
    expect(others).toEqual([]);
    expect(message).toMatch(/error: TRL216 .*not public/);
    expect(message).toContain(model);
    expect(message).toContain(instead);
  });
});

describe("the program's own suggestion", () => {
  it.each([
    ...TEMPLATES.map(({ kind, text }) => [kind, text] as const),
    ["example", readFileSync("examples/hosted/tinker-config.yaml", "utf8")] as const,
  ])("uses a listed model, and has a budget if that costs money: %s", (_, text) => {
    const { model_name: name, max_cost_usd: budget } = configIn(text);
    if (!isLocalModel(name)) {
      expect(findLineUpModel(name)?.listed).toBe("2026-08-19");
      expect(budget).toBe(20);
    }
    expect(messagesIn(text)).toEqual([]);
  });
});

describe("a retired model", () => {
  it.each(RETIRED)("$name causes a warning with a date and suggests $instead", (retired) => {
    const { name: model, since, instead } = retired;
    const date = since ?? LINE_UP_DATE;
    const message = said(model).find((line) => line.includes("TRL215")) ?? "";
    expect(message).toMatch(/^run.yaml:1:13: warning: /);
    for (const part of [`\`${model}\``, date, `\`${instead}\``]) expect(message).toContain(part);
    const text = textOf(model);
    const fixes = fixesAt(text, { start: 0, end: text.length }, { path: "run.yaml" });
    const fix = fixes.find(({ title }) => title === `Change to '${instead}'`);
    expect(messagesIn(applyEdits(text, fix?.edits ?? [])).join()).not.toContain("TRL215");
  });

  it("causes no warning when the service lists it", () => {
    const text = textOf("Qwen/Qwen3-30B-A3B");
    const codes = (catalogue = CATALOGUE) =>
      diagnose(text, { path: "run.yaml", catalogue }).map(({ code }) => code);
    expect(codes()).toEqual([]);
    const { hosted } = CATALOGUE;
    expect(codes({ ...CATALOGUE, hosted: { ...hosted, models: null } })).toEqual(["TRL215"]);
  });

  it("is refused with the same reason when the service does not list it", () => {
    const models = listing([
      { name: "Qwen/Qwen3.6-27B", contextTokens: null, maxRank: null, note: null },
    ]);
    const catalogue = { ...CATALOGUE, hosted: { ...CATALOGUE.hosted, models } };
    const [found, ...others] = diagnose(textOf("Qwen/Qwen3-32B"), { path: "run.yaml", catalogue });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "TRL302", severity: "error" });
    expect(found?.message).toMatch(/2026-06-12.*Qwen\/Qwen3.6-27B/);
    expect(found?.remedies[0]).toMatchObject({ value: "Qwen/Qwen3.6-27B", isPreferred: true });
  });

  it("is not checked on another server", () => {
    expect(said("Qwen/Qwen3-32B", "tinker_base_url: https://tinker.example")).toEqual([]);
  });
});

describe("a model that is not in the table", () => {
  it("is not an error, and only a hint in the editor", () => {
    expect(said("Owner/Own-7B")).toEqual([]);
    const [found, ...others] = diagnose(textOf("Qwen/Qwen3.5-9b"), { path: "run.yaml" });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "TRL215", severity: "info" });
    expect(found?.message).toContain("Did you mean `Qwen/Qwen3.5-9B`?");
  });
});

describe("thinking that the model does not support", () => {
  it.each([
    ["openai/gpt-oss-20b", "thinking: false", /always reasons.*effort: low/],
    ["zai-org/GLM-5.3-Flash", "thinking: false", /always reasons/],
    ["moonshotai/Kimi-K2-Thinking", "thinking: { enabled: false }", /always reasons/],
    ["Qwen/Qwen3.8-27B", "thinking: { effort: max }", /`low`, `medium` or `xhigh` \(default\)/],
    ["openai/gpt-oss-20b", "thinking: { effort: xhigh }", /`low`, `medium` \(default\) or `high`/],
    ["openai/gpt-oss-20b", "thinking: { effort: 0.5 }", /does not take the effort `0.5`/],
    ["thinkingmachines/Inkling", "thinking: { effort: 2 }", /or a number from 0 to 1/],
    ["thinkingmachines/Inkling", "thinking: { effort: none }", /thinking: false/],
    ["zai-org/GLM-5.3", "thinking: { effort: medium }", /`low`, `high` or `max` \(default\)/],
    ["deepseek-ai/DeepSeek-V3.1", "thinking: true", /only without reasoning.*thinking: false/],
  ])("%s with %s is refused, with what it supports", (model, line, words) => {
    const refusals = said(model, line).filter((message) => message.includes("error: TRL216"));
    expect(refusals).toEqual([expect.stringMatching(words)]);
    expect(refusals[0]).toContain(`\`${model}\``);
  });

  // Runs with these settings were trained before the table had this information, and must be able to resume.
  it.each([
    [
      "Qwen/Qwen3-4B-Instruct-2507",
      "thinking: true",
      /does not reason.*no effect.*thinking: false/,
    ],
    ["Qwen/Qwen3.5-9B-Base", "thinking: { effort: low }", /does not reason.*no effect/],
    ["Qwen/Qwen3-8B", "thinking: { effort: high }", /takes no effort.*no effect.*on or off/],
    ["Qwen/Qwen3.5-9B", "thinking: { enabled: false, effort: low }", /no effect.*off/],
  ])("%s with %s causes a warning that it has no effect", (model, line, words) => {
    const all = said(model, line).filter(
      (message) => !/retired|longer has|base model/.test(message),
    );
    expect(all).toEqual([expect.stringMatching(/warning: TRL216/)]);
    expect(all[0]).toMatch(words);
  });

  it.each([
    ["Qwen/Qwen3-8B", "thinking: { effort: high }"],
    ["Qwen/Qwen3.8-27B", "thinking: { effort: max }"],
    ["Qwen/Qwen3.8-27B", "thinking:\n  effort: max"],
    ["deepseek-ai/DeepSeek-V3.1", "thinking: { enabled: true, retention: all }"],
    ["openai/gpt-oss-20b", "thinking: false"],
    ["openai/gpt-oss-20b", "thinking: { enabled: false, retention: all }"],
    ["thinkingmachines/Inkling", "thinking: { effort: none }"],
    ["thinkingmachines/Inkling", "thinking:\n  effort: 3"],
    ["Qwen/Qwen3.5-9B", "thinking: { enabled: false, effort: low }"],
  ])("%s with %s has a preferred fix that resolves it", (model, line) => {
    const text = textOf(model, line);
    const [fix, ...others] = fixesAt(text, { start: 0, end: text.length }, { path: "run.yaml" })
      .filter(({ isPreferred }) => isPreferred)
      .filter(({ diagnosis }) => diagnosis.code === "TRL216");
    expect(others).toEqual([]);
    expect(messagesIn(applyEdits(text, fix?.edits ?? []))).toEqual([]);
  });

  it.each([
    ["Qwen/Qwen3.8-27B", "thinking: { effort: medium }", "medium"],
    ["thinkingmachines/Inkling", "thinking: { effort: 0.35 }", "0.35"],
    ["thinkingmachines/Inkling-Small", "thinking: { effort: minimal }", "minimal"],
    ["deepseek-ai/DeepSeek-V4.1-Flash:peft:262144", "thinking: { effort: max }", "max"],
    ["openai/gpt-oss-20b", "thinking: true", null],
  ])("%s accepts %s", (model, line, effort) => {
    expect(said(model, line)).toEqual([]);
    expect(configIn(textOf(model, line)).thinking.effort).toBe(effort);
  });

  it("is refused by validate, so no run fails because of it", () => {
    const settings = [
      ...["", "thinking: true", "thinking: false", "thinking: { effort: 0.5 }"],
      ...modelFields.thinking.fields.effort.values.map((word) => `thinking: { effort: ${word} }`),
    ];
    const cases = LINE_UP.flatMap(({ name }) => {
      const facts = formatFactsOf(name);
      return facts === null ? [] : settings.map((line) => ({ name, line, facts }));
    });
    for (const { name, line, facts } of cases) {
      const result = parse(textOf(name, line));
      if (!result.ok) continue;
      const { enabled } = fitThinking(name, facts, result.config.thinking);
      const isOn = facts.thinking === "switch" ? result.config.thinking.enabled : null;
      expect(enabled, name).toBe(isOn ?? facts.thinking === "on");
    }
  });

  it("is checked by the format that the name of a further trained model implies", () => {
    expect(said("someone/Qwen3.8-27B-tuned", "thinking: { effort: max }")).toEqual([
      expect.stringMatching(/error: TRL216 .*`xhigh` \(default\)/),
    ]);
  });

  it("points out that a preamble can only be left out if the format has one", () => {
    const line = "chat_preamble: false";
    expect(said("openai/gpt-oss-20b", line)).toEqual([]);
    expect(said("Qwen/Qwen3.8-27B", line)).toEqual([
      expect.stringMatching(/TRL216 .*`Qwen\/Qwen3.8-27B` writes no system prompt of its own/),
    ]);
  });

  it("is left to the tokenizer's template when the model's own format is not used", () => {
    expect(said("Qwen/Qwen3-8B", "chat_format: template", "thinking: { effort: high }")).toEqual(
      [],
    );
    expect(said("moonshotai/Kimi-K3.1-Pro", "chat_format: reference")).toEqual([]);
  });
});

describe("a model that is offered only with a long context", () => {
  it("needs its full name", () => {
    expect(said("zai-org/GLM-5.3")).toEqual([
      expect.stringMatching(/warning: TRL215 .*only as `zai-org\/GLM-5.3:peft:262144`/),
    ]);
    expect(said("zai-org/GLM-5.3", "tinker_base_url: http://127.0.0.1:8000")).toEqual([]);
  });
});

describe("the context length of a model", () => {
  it("limits max_total_tokens, with a suggestion of a longer variant", () => {
    const [message] = said("Qwen/Qwen3.8-27B", "max_total_tokens: 100000");
    expect(message).toMatch(/warning: TRL215 .*65,536 tokens.*Qwen3.8-27B:peft:262144.*262,144/);
    expect(said("Qwen/Qwen3.8-27B:peft:262144", "max_total_tokens: 100000")).toEqual([]);
    expect(said("Qwen/Qwen3-8B", "max_total_tokens: 40000")).toEqual([
      expect.stringMatching(/32,768 tokens \(table of 2026-08-19\); longer rollouts end there\. /),
    ]);
    expect(said("zai-org/GLM-5.3:peft:262144", "max_total_tokens: 100000")).toEqual([]);
  });
});

describe("a model that reads images", () => {
  it("makes on_image a setting without effect", () => {
    const text = (model: string) =>
      textOf(model).replace("num_rollouts: 4,", "num_rollouts: 4, on_image: placeholder,");
    const marks = (model: string) =>
      diagnose(text(model), { path: "run.yaml" }).map(({ message }) => message);
    expect(marks("Qwen/Qwen3.6-27B")).toEqual([expect.stringMatching(/reads images.*on_image/)]);
    expect(marks("Qwen/Qwen3-8B")).toEqual([]);
  });
});

describe("the editor without a list from the service", () => {
  const offered = (text: string) => {
    const offset = text.indexOf("|");
    return complete(text.replace("|", ""), offset, { path: "run.yaml" });
  };

  it("offers the listed models first, each with its context length, and no retired ones", () => {
    const labels = offered("model_name: |").map(({ label }) => label);
    expect(labels.slice(0, 26)).toEqual(expect.arrayContaining(SOUND));
    expect(labels).not.toContain("Qwen/Qwen3-32B");
    const entry = offered("model_name: |").find(({ label }) => label === "Qwen/Qwen3.8-27B");
    expect(entry?.detail).toBe("65,536 tokens · 27B");
    expect(entry?.documentation).toMatch(/Hybrid model.*images/);
    expect(entry?.documentation).toContain("`xhigh` (default)");
    expect(entry?.documentation).toContain("`Qwen/Qwen3.8-27B:peft:262144`");
  });

  it("offers the efforts that the model supports", () => {
    const words = (model: string) =>
      offered(`model_name: ${model}\nthinking:\n  effort: |`).map(({ label }) => label);
    expect(words("Qwen/Qwen3.8-27B")).toEqual(["low", "medium", "xhigh", "null"]);
    expect(words("Qwen/Qwen3-8B")).toEqual(["null"]);
    expect(words("Owner/Own-7B")).toContain("max");
  });

  it.each([
    ["Qwen/Qwen3.8-27B", /65,536 tokens · 27B.*Hybrid.*xhigh.*2026-08-19/s],
    ["Qwen/Qwen3-32B", /retired.*2026-06-12.*Qwen3\.6-27B/s],
    ["openai/gpt-oss-20b", /always reasons.*`medium` \(default\).*temperature 1/s],
    ["Qwen/Qwen3.5-9B-Base", /Base model.*calls no tools/s],
    ["moonshotai/Kimi-K3.1-Pro", /not public.*2026-11/s],
  ])("describes %s", (model, words) => {
    const text = textOf(model);
    expect(hover(text, text.indexOf(model), { path: "run.yaml" })?.markdown).toMatch(words);
  });

  it("shows the effect of the model on thinking and on the learning rate", () => {
    const at = (line: string) => {
      const text = textOf("Qwen/Qwen3-8B", line);
      return hover(text, text.indexOf(line), { path: "run.yaml" })?.markdown;
    };
    expect(at("thinking: true")).toContain("`Qwen/Qwen3-8B`: It reasons when `thinking` is on.");
    expect(at("learning_rate: 2e-5")).toContain("computes `4.7e-4`");
  });
});
