/** Findings from the built-in model table: TRL215 about what the service offers, TRL216 about what the model's chat format can do. */

import { nearestWords } from "../../../shared/editDistance.ts";
import { formatCount } from "../../../shared/format.ts";
import { isJsonObject } from "../../json.ts";
import { formatFactsOf } from "../../models/formatOfModel.ts";
import type { FormatFacts } from "../../models/formats.ts";
import {
  contextOf,
  findLineUpModel,
  type LineUpModel,
  listedModels,
  longestVariant,
  plainModelName,
  retirementText,
} from "../../models/lineUp.ts";
import { LINE_UP_DATE } from "../../models/lineUpRows.ts";
import { isLocalModel } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding, note } from "../source/finding.ts";
import { changeTo, preferred, removal, setKeyTo, setTo } from "../source/remedy.ts";
import { effortFindings } from "./effortRules.ts";
import { valueAt } from "./issues.ts";

const MODEL = ["model_name"];

/** `values` is the configuration before defaults, so that a default is never reported as a mistake. */
export function lineUpFindings(config: Config, values: unknown): readonly Finding[] {
  if (isLocalModel(config.model_name)) return [];
  const model = findLineUpModel(config.model_name);
  return [
    ...serviceFindings(config, model),
    ...imageFindings(config, values, model),
    ...formatFindings(config, values, model),
  ];
}

/** The table describes Tinker's own service; another server may train any model. */
function serviceFindings(config: Config, model: LineUpModel | null): readonly Finding[] {
  const { model_name: name, tinker_base_url: server } = config;
  if (server !== null) return [];
  if (model === null) return [unknownModel(name)];
  if (model.retired !== null) {
    const { instead } = model.retired;
    const message = retirementText(model.name, model.retired);
    const remedies = [preferred(changeTo(MODEL, instead))];
    return [advice("TRL215", MODEL, message, { remedies, tag: "deprecated" })];
  }
  if (name === plainModelName(model.name) && name !== model.name) return [onlyVariant(name, model)];
  return contextFindings(config, model);
}

function onlyVariant(name: string, model: LineUpModel): Finding {
  const message = `Tinker's cookbook names \`${name}\` only as \`${model.name}\` (${model.listed}).`;
  return advice("TRL215", MODEL, message, { remedies: [preferred(changeTo(MODEL, model.name))] });
}

function unknownModel(name: string): Finding {
  const near = nearestWords(
    name,
    listedModels().map((model) => model.name),
  );
  const hint =
    near[0] === undefined
      ? "When a run starts, the service says whether it trains the model."
      : `Did you mean \`${near[0]}\`?`;
  const message = `\`${name}\` is not in the table of models (${LINE_UP_DATE}). ${hint}`;
  const remedies = near.map((other) => changeTo(MODEL, other));
  return note("TRL215", MODEL, message, { remedies });
}

function contextFindings(
  { model_name: name, max_total_tokens: wanted }: Config,
  model: LineUpModel,
): readonly Finding[] {
  const context = contextOf(name);
  if (context === null || wanted <= context) return [];
  const path = ["max_total_tokens"];
  const longest = longestVariant(model);
  const isLonger = longest !== null && (contextOf(longest) ?? 0) > context;
  const more = isLonger
    ? ` \`${longest}\` holds ${formatCount(contextOf(longest) ?? 0)} tokens, at a higher price.`
    : "";
  const message = `The context of \`${name}\` is ${formatCount(context)} tokens (table of ${LINE_UP_DATE}); longer rollouts end there.${more}`;
  const remedies = [
    preferred(setTo(path, context)),
    ...(isLonger ? [setTo(MODEL, longest, `Change model_name to '${longest}'`)] : []),
  ];
  return [advice("TRL215", path, message, { relatedPaths: [MODEL], remedies })];
}

function formatFindings(
  config: Config,
  values: unknown,
  model: LineUpModel | null,
): readonly Finding[] {
  // Any other chat format is checked against the tokenizer's template when a run starts.
  if (config.chat_format !== "auto") return [];
  if (model !== null && model.format === null) return [unknownFormat(model)];
  const name = config.model_name;
  const facts = formatFactsOf(name);
  if (facts === null) return [];
  return [
    ...switchFindings(config, values, name, facts),
    ...effortFindings(config, name, facts),
    ...retentionFindings(config, name, facts),
    ...toolFindings(name, facts),
    ...preambleFindings(config, name, facts),
  ];
}

function unknownFormat({ name }: LineUpModel): Finding {
  const [owner = ""] = name.split("/");
  const others = listedModels().filter((other) => other.format !== null);
  const choices = others.filter((other) => other.name.startsWith(`${owner}/`)).slice(0, 3);
  const names = choices.map((other) => `\`${other.name}\``).join(" or ");
  const message = `\`${name}\` cannot be trained yet: its chat format is not public, and with a guessed format it would never learn. Use ${names}.`;
  const remedies = choices.map((other) => changeTo(MODEL, other.name));
  return conflict("TRL216", MODEL, message, { remedies });
}

function switchFindings(
  { thinking }: Config,
  values: unknown,
  name: string,
  facts: FormatFacts,
): readonly Finding[] {
  const written = valueAt(values, ["thinking"]);
  if (written === undefined) return [];
  const path =
    isJsonObject(written) && written["enabled"] !== undefined
      ? ["thinking", "enabled"]
      : ["thinking"];
  if (facts.thinking === "on" && !thinking.enabled) {
    const [least] = facts.efforts;
    const hint = least === undefined ? "" : `; \`effort: ${least}\` asks for the least reasoning`;
    const message = `\`${name}\` always reasons before it answers. Set \`thinking: true\`${hint}.`;
    return [conflict("TRL216", path, message, { remedies: [preferred(setTo(path, true))] })];
  }
  if (facts.thinking === "off" && thinking.enabled) {
    const message = `\`${name}\` does not reason before it answers, so this has no effect. Set \`thinking: false\`.`;
    const off = setKeyTo(["thinking"], false);
    return [advice("TRL216", path, message, { remedies: [preferred(off)] })];
  }
  if (!facts.thinksWithTools && thinking.enabled) {
    const message = `\`${name}\` calls tools only without reasoning: after a result it continues immediately, where no reasoning can begin. Set \`thinking: false\`.`;
    const off = setKeyTo(["thinking"], false);
    return [conflict("TRL216", path, message, { remedies: [preferred(off)] })];
  }
  return [];
}

function retentionFindings(
  { thinking }: Config,
  name: string,
  { prunesReasoning }: FormatFacts,
): readonly Finding[] {
  if (!thinking.enabled || thinking.retention === "all" || prunesReasoning) return [];
  const path = ["thinking", "retention"];
  const message = `The template of \`${name}\` keeps earlier reasoning, so \`template\` does the same as \`all\`.`;
  return [note("TRL216", path, message, { remedies: [preferred(setTo(path, "all"))] })];
}

function toolFindings(name: string, { callsTools }: FormatFacts): readonly Finding[] {
  if (callsTools) return [];
  const message = `\`${name}\` is a base model: it cannot call tools, and works only in environments that grade the text of an answer. For others, set \`chat_format: reference\`, which lists the tools in the system prompt, or use a model that was trained to call tools.`;
  const set = setKeyTo(["chat_format"], "reference");
  return [advice("TRL216", MODEL, message, { remedies: [set] })];
}

function preambleFindings(
  config: Config,
  name: string,
  { hasPreamble }: FormatFacts,
): readonly Finding[] {
  if (config.chat_preamble || hasPreamble) return [];
  const path = ["chat_preamble"];
  const message = `The chat format of \`${name}\` writes no system prompt of its own, so this has no effect.`;
  return [advice("TRL216", path, message, { remedies: [preferred(setTo(path, true))] })];
}

function imageFindings(
  { environments }: Config,
  values: unknown,
  model: LineUpModel | null,
): readonly Finding[] {
  if (model === null || !model.readsImages) return [];
  const { name } = model;
  return Object.keys(environments).flatMap((environment) => {
    const path = ["environments", environment, "on_image"];
    if (valueAt(values, path) === undefined) return [];
    const message = `\`${name}\` reads images, so \`on_image\` has no effect.`;
    const remedies = [removal(path)];
    return [note("TRL216", path, message, { part: "key", remedies })];
  });
}
