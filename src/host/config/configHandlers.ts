/** Handlers of the configuration commands. */

import { basename } from "node:path";
import * as vscode from "vscode";
import { type CheckCounts, CONFIG_REQUESTS } from "../../api/config.ts";
import type { Insertion } from "../../core/config/editing/edits/insertEnvironment.ts";
import { plural } from "../../shared/format.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { chooseConfig } from "./chooseConfig.ts";
import type { LazyConfigSources } from "./configSources.ts";
import type { EffectiveConfig } from "./effectiveConfig.ts";
import { applyTextEdits } from "./textEdits.ts";

interface ConfigHandlerOptions {
  readonly server: Pick<Server, "request">;
  readonly sources: LazyConfigSources;
  readonly effective: EffectiveConfig;
}

const SHOWN_MS = 8_000;

/**
 * `trainOnDataset` takes a data file's URI, `validateConfig` and `showEffectiveConfig` a configuration's URI, `addEnvironment` a name or a
 * row with one.
 */
export function configHandlers(options: ConfigHandlerOptions) {
  return {
    newConfig: async (target) => {
      const { newConfig } = await import("./newConfig.ts");
      await newConfig(target);
    },
    trainOnDataset: async (target) => {
      const { trainOnDataset } = await import("./newConfig.ts");
      await trainOnDataset(options.server, target);
    },
    validateConfig: async (target) => {
      const document = await documentFor(target);
      if (document === undefined) return;
      const { server } = options;
      const uri = document.uri.toString();
      await showResult(document, await server.request(CONFIG_REQUESTS.check, { uri }));
    },
    showEffectiveConfig: async (target) => {
      const document = await documentFor(target);
      if (document !== undefined) await options.effective.show(document);
    },
    addEnvironment: (target) => addEnvironment(options, target),
  } satisfies Partial<CommandHandlers>;
}

/** Undefined if there is none or none was chosen. */
async function documentFor(target: unknown): Promise<vscode.TextDocument | undefined> {
  const config = await chooseConfig(target);
  return config && (await vscode.workspace.openTextDocument(config));
}

async function showResult(
  document: vscode.TextDocument,
  { errors, warnings }: CheckCounts,
): Promise<void> {
  const name = basename(document.uri.path);
  const text =
    errors + warnings === 0
      ? vscode.l10n.t("{0} is valid", name)
      : vscode.l10n.t(
          "{0}: {1}, {2}",
          name,
          plural(errors, "{0} error", "{0} errors"),
          plural(warnings, "{0} warning", "{0} warnings"),
        );
  plainWindow.setStatusBarMessage(text, { shownMs: SHOWN_MS });
  if (errors + warnings === 0) return;
  await vscode.window.showTextDocument(document, { preserveFocus: true, preview: false });
  await vscode.commands.executeCommand("workbench.actions.view.problems");
}

async function addEnvironment(options: ConfigHandlerOptions, target: unknown): Promise<void> {
  const document = await documentFor(undefined);
  if (document === undefined) return;
  const name = nameIn(target) ?? (await pickEnvironment(options));
  if (name === undefined) return;
  const request = CONFIG_REQUESTS.insertEnvironment;
  const parameters = { uri: document.uri.toString(), name };
  const insertion = await options.server.request<Insertion>(request, parameters);
  if (insertion.kind === "present") {
    const text = vscode.l10n.t("{0} is already in the configuration.", name);
    void plainWindow.showInformationMessage(text);
    return;
  }
  await applyTextEdits(document, insertion.kind === "edits" ? insertion.edits : null);
  await vscode.window.showTextDocument(document);
}

function nameIn(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  const { name } = (target ?? {}) as { readonly name?: unknown }; // validated on the next line
  return typeof name === "string" ? name : undefined;
}

/** From the known lists, or typed by hand if there are none. */
async function pickEnvironment({ sources }: ConfigHandlerOptions): Promise<string | undefined> {
  const lists = sources.loaded?.environments;
  await lists?.ready();
  const { local, hosted } = lists?.current() ?? {};
  const listed = [local, hosted].flatMap((list) => list?.environments?.items ?? []);
  if (listed.length === 0) {
    return plainWindow.showInputBox({
      prompt: vscode.l10n.t("Name of the environment, such as Owner/Name"),
    });
  }
  const items = listed.map(({ name, description }) => ({
    label: name,
    detail: description ?? undefined,
  }));
  const placeHolder = vscode.l10n.t("Which environment?");
  const options = { placeHolder, matchOnDetail: true };
  return (await plainWindow.showQuickPick(items, options))?.label;
}
