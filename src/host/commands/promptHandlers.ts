/** *Preview Prompt*: requests the first prompt of a task from the server, and shows it with navigation to other tasks. */

import * as vscode from "vscode";
import { PROMPT_REQUESTS, type PromptRequest } from "../../api/prompts.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage } from "../../core/errors.ts";
import type { PromptDescription } from "../../shared/promptDescription.ts";
import type { Keys } from "../keys/createKeys.ts";
import { askWithKeys, requestFor } from "../runs/createLaunchRequest.ts";
import type { RunList } from "../runs/runList.ts";
import type { Server } from "../server/server.ts";
import { PROMPT_SCHEME, PromptDocuments, type PromptPlace } from "../views/promptDocuments.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { Register } from "../vscode/register.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { askTaskNumber } from "./askChat.ts";
import { chooseTasks, chosenTask } from "./chooseTasks.ts";
import { chooseValidConfig } from "./chooseValidConfig.ts";

export interface PromptHandlerOptions {
  readonly store: RunList;
  readonly keys: Keys;
  readonly server: Server;
  readonly register: Register;
}

const GO_TO = "_tinkerRL.goToPrompt";
type Target = "next" | "previous" | "other" | "ids";

export function promptHandlers(options: PromptHandlerOptions) {
  const documents = options.register(new PromptDocuments());
  const show = async (place: PromptPlace): Promise<void> => {
    const description = await describe(options, place);
    if (description !== null) await documents.show({ place, description, wantsIds: false });
  };
  options.register(
    vscode.languages.registerCodeLensProvider(
      { scheme: PROMPT_SCHEME },
      { provideCodeLenses: ({ uri }) => lenses(documents, uri) },
    ),
  );
  options.register(
    vscode.commands.registerCommand(GO_TO, async (uri: unknown, target: unknown) => {
      const shown = uri instanceof vscode.Uri ? documents.at(uri) : undefined;
      if (shown === undefined || !vscode.workspace.isTrusted) return;
      try {
        if (target === "ids") await documents.show({ ...shown, wantsIds: !shown.wantsIds });
        const task = await taskAfter(shown.place, target);
        if (task !== null) await show({ ...shown.place, task });
      } catch (error) {
        void plainWindow.showErrorMessage(errorMessage(error));
      }
    }),
  );
  return {
    showTaskPrompt: async (target) => {
      const row = await chosenTask(target);
      if (row === undefined) return;
      const { name: environment, config: configPath, split, task } = row;
      await show({ configPath, environment, split, task });
    },
    previewPrompt: async (target) => {
      const config = await chooseValidConfig(options.store, target);
      if (config === undefined) return;
      const choice = await chooseTasks(config, vscode.l10n.t("Show the prompts of which tasks?"));
      if (choice !== undefined) await show({ configPath: config.fsPath, ...choice, task: 0 });
    },
  } satisfies Partial<CommandHandlers>;
}

function lenses(documents: PromptDocuments, uri: vscode.Uri): vscode.CodeLens[] {
  const shown = documents.at(uri);
  if (shown === undefined) return [];
  const { task } = shown.place;
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, target: Target): vscode.CodeLens =>
    new vscode.CodeLens(top, { title, command: GO_TO, arguments: [uri, target] });
  const ids = shown.wantsIds ? vscode.l10n.t("hide token ids") : vscode.l10n.t("show token ids");
  return [
    ...(task === 0 ? [] : [lens(vscode.l10n.t("$(arrow-left) task {0}", task - 1), "previous")]),
    lens(vscode.l10n.t("$(arrow-right) task {0}", task + 1), "next"),
    lens(vscode.l10n.t("other task…"), "other"),
    lens(ids, "ids"),
  ];
}

/** Null for any other target. */
async function taskAfter({ task, split }: PromptPlace, target: unknown): Promise<number | null> {
  if (target === "next") return task + 1;
  if (target === "previous") return Math.max(0, task - 1);
  if (target !== "other") return null;
  return await askTaskNumber(split, task);
}

/** Null if the user dismissed a prompt or canceled. @throws Error from the server */
async function describe(
  { keys, server }: PromptHandlerOptions,
  { configPath, ...choice }: PromptPlace,
): Promise<PromptDescription | null> {
  const title = vscode.l10n.t("Reading a prompt of {0}", choice.environment);
  const progress = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const outcome = await askWithKeys<PromptDescription>(
    keys,
    requestFor(configPath),
    choice.environment,
    async (launch) => {
      const asked: PromptRequest = { launch, ...choice };
      return await plainWindow.withProgress(progress, async (token) => {
        const { preview } = PROMPT_REQUESTS;
        const found = await server.request<RequestOutcome<PromptDescription>>(preview, asked, {
          token,
        });
        return token.isCancellationRequested ? null : found;
      });
    },
  );
  if (outcome?.ok === false) throw new Error(outcome.error.message);
  return outcome?.value ?? null;
}
