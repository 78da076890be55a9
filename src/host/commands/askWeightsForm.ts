/** Asks what the downloaded weights are for, and for the base model's folder if that format needs it. */

import * as vscode from "vscode";
import { type FormRequest, needsBase } from "../../core/weights/forms/formRequest.ts";
import { askForFolder } from "../vscode/askForFolder.ts";
import { plainWindow } from "../vscode/plainWindow.ts";

/** Null = Tinker's own format; undefined if the user dismissed a prompt. */
export async function askWeightsForm(baseModel: string): Promise<FormRequest | null | undefined> {
  const items = [
    {
      label: vscode.l10n.t("For PEFT and Transformers"),
      detail: vscode.l10n.t("The adapter as Tinker exports it."),
      form: null,
      dropsUnembedding: false,
    },
    {
      label: vscode.l10n.t("For vLLM and SGLang"),
      detail: vscode.l10n.t(
        "As these servers load it. They refuse a changed unembedding (train_unembed: true).",
      ),
      form: "vllm",
      dropsUnembedding: false,
    },
    {
      label: vscode.l10n.t("For vLLM and SGLang, Without the Unembedding"),
      detail: vscode.l10n.t(
        "Leaves out what was learned for it: the served model differs from the trained one.",
      ),
      form: "vllm",
      dropsUnembedding: true,
    },
    {
      label: vscode.l10n.t("Merged into the Base Model"),
      detail: vscode.l10n.t("A copy of {0} with the adapter added to its weights.", baseModel),
      form: "merged",
      dropsUnembedding: false,
    },
  ] as const;
  const picked = await plainWindow.showQuickPick(items, {
    title: vscode.l10n.t("What are the weights for?"),
  });
  if (picked === undefined || picked.form === null) return picked?.form;
  const { form, dropsUnembedding } = picked;
  if (!needsBase(form, baseModel)) return { form, base: null, dropsUnembedding };
  const base = await askForFolder({
    openLabel: vscode.l10n.t("Use This Base Model"),
    title: vscode.l10n.t("The folder of the base model, as downloaded from the Hugging Face Hub"),
  });
  return base && { form, base: base.fsPath, dropsUnembedding };
}
