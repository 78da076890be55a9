/** The command `models`: lists trainable models with their thinking, image and context support. */

import * as l10n from "@vscode/l10n";
import { EMBEDDED_MODELS } from "../core/config/editing/catalogue/embedded.ts";
import { formatFactsOf } from "../core/models/formatOfModel.ts";
import { findLineUpModel, listedModels } from "../core/models/lineUp.ts";
import { LINE_UP_DATE } from "../core/models/lineUpRows.ts";
import { describeModels } from "../core/outputs/modelsOutput.ts";
import { visibleLine } from "../core/util/visibleText.ts";
import type { OfferedModels } from "../trainer/models/listModels.ts";
import type { ModelsCommand } from "./arguments/planningArguments.ts";
import type { TrainerProgram } from "./arguments/programOptions.ts";
import { jsonLine } from "./terminal/asciiJson.ts";
import { BLANK, type Line, type LinePiece, quietLine, styled } from "./terminal/line.ts";
import { type Column, tableLines } from "./terminal/table.ts";

interface OfferedModel {
  readonly name: string;
  /** In tokens, ascending; empty if unknown. */
  readonly contexts: readonly number[];
}

/** A table of models, and a line about its source. @throws AppError `tinker-*`, `key-host-not-allowed` */
export async function modelLines(
  { trainer, invocation, out, err }: TrainerProgram,
  { allowedOrigins, wantsJson }: ModelsCommand,
): Promise<readonly Line[]> {
  err.showLive(quietLine(l10n.t("asking the service for its models")));
  const offered = await trainer
    .listModels({ allowedOrigins, folder: invocation.cwd })
    .finally(() => err.showLive(null));
  const models = [
    ...(offered.models?.map(fromService) ?? listedModels()),
    ...EMBEDDED_MODELS.map(({ name, contextTokens }) => ({ name, contexts: [contextTokens ?? 0] })),
  ];
  if (wantsJson) {
    return [jsonLine(describeModels(offered.models === null ? null : offered.url, models))];
  }
  return [
    ...tableLines(columns(), models.map(modelCells), out.columns),
    BLANK,
    quietLine(sourceText(offered)),
  ];
}

function fromService({ name, maxContextLength }: NonNullable<OfferedModels["models"]>[number]) {
  return { name, contexts: maxContextLength === null ? [] : [maxContextLength] };
}

function sourceText({ models, url, keyName, hasKey }: OfferedModels): string {
  if (models !== null) return l10n.t("From the list of {0}, fetched now.", url);
  return hasKey
    ? l10n.t(
        "The server at {0} does not list its models. These are from the built-in table of {1}.",
        url,
        LINE_UP_DATE,
      )
    : l10n.t(
        "From the built-in table of {0}. Set {1} to see the service's own list.",
        LINE_UP_DATE,
        keyName,
      );
}

function modelCells({ name, contexts }: OfferedModel): readonly LinePiece[] {
  const model = findLineUpModel(name);
  return [
    styled("strong", visibleLine(name)),
    model?.size ?? "–",
    contexts.length === 0 ? "–" : contexts.map(contextText).join(", "),
    model?.readsImages === true ? l10n.t("yes") : "–",
    thinkingText(name),
  ];
}

/** In units of 1024 tokens where that is an integer. */
function contextText(tokens: number): string {
  return tokens >= 1024 && tokens % 1024 === 0 ? `${tokens / 1024}K` : String(tokens);
}

/** Whether a model reasons, and its reasoning efforts. */
function thinkingText(name: string): string {
  if (findLineUpModel(name)?.format === null) return l10n.t("cannot be trained yet");
  const facts = formatFactsOf(name);
  if (facts === null) return "–";
  if (!facts.callsTools) return l10n.t("no; base model");
  const words = { on: l10n.t("always"), off: l10n.t("no"), switch: l10n.t("on/off") };
  return [words[facts.thinking], facts.efforts.join(", ")].filter((part) => part !== "").join(": ");
}

function columns(): readonly Column[] {
  return [
    { title: l10n.t("model"), align: "left" },
    { title: l10n.t("size"), align: "left" },
    { title: l10n.t("context"), align: "right" },
    { title: l10n.t("images"), align: "left" },
    { title: l10n.t("thinking: efforts"), align: "left" },
  ];
}
