/** *New Environment…*: asks for name and template, writes the files and the configuration entry, and opens them. */

import { dirname, relative } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { CONFIG_REQUESTS } from "../../api/config.ts";
import {
  ENVIRONMENT_REQUESTS,
  type NewEnvironment,
  type NewEnvironmentRequest,
  type ProgramWords,
} from "../../api/environments.ts";
import type { Insertion } from "../../core/config/editing/edits/insertEnvironment.ts";
import { environmentConfig, environmentEntry } from "../../core/scaffold/environmentEntry.ts";
import {
  ENVIRONMENT_TEMPLATES,
  type EnvironmentTemplateKind,
  isEnvironmentName,
} from "../../core/scaffold/environmentTemplates.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import { shellCommands } from "../../shared/shellWords.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { applyTextEdits } from "../config/textEdits.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";
import { runInTerminal } from "../task/programTask.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { offerInstead } from "../vscode/offerInstead.ts";
import { type Button, plainWindow } from "../vscode/plainWindow.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";
import { isThere } from "../vscode/workspaceText.ts";

const IS_WINDOWS = process.platform === "win32";

type Requests = Pick<Server, "request">;

export function newEnvironmentHandlers(server: Requests) {
  return {
    newEnvironment: () => newEnvironment(server),
    addOwnEnvironment: (target) => addOwnEnvironment(server, target),
  } satisfies Partial<CommandHandlers>;
}

/** Arguments of a lens above a Python class. */
const pythonEnvironment = z.object({ name: z.string(), file: z.string() });

/** Adds the environment in an existing Python file. @throws Error if the configuration cannot be written */
async function addOwnEnvironment(server: Requests, target: unknown): Promise<void> {
  const found = pythonEnvironment.safeParse(target).data;
  if (found === undefined) return;
  const { name, file } = found;
  const uri = vscode.Uri.file(file);
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) throw new Error(vscode.l10n.t("Open the folder of {0} first.", file));
  const config = vscode.Uri.joinPath(folder.uri, DEFAULT_CONFIG);
  const program = relative(folder.uri.fsPath, file).replaceAll("\\", "/");
  const venv = IS_WINDOWS ? ".venv/Scripts/python.exe" : ".venv/bin/python";
  const hasVenv = await isThere(vscode.Uri.joinPath(uri, "..", venv));
  const python = hasVenv ? `${dirname(program)}/${venv}` : "python";
  // Only its server knows its splits, and needs the configuration to be started.
  const template = { settings: {}, suitsEmbeddedModel: true, hasTest: false };
  const entry = environmentEntry(template, { python, program });
  const text = environmentConfig(name, template, entry);
  const inConfig = await addToConfig(server, config, { name, entry, config: text, hasTest: false });
  await offerConfig(config, inConfig, vscode.l10n.t("{0} is ready.", name));
}

/** @throws Error if the files cannot be written, or there is no Python for the virtual environment */
async function newEnvironment(server: Requests): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  if (folder === undefined) {
    const text = vscode.l10n.t("A new environment needs a folder. Open one first.");
    const open = () => vscode.commands.executeCommand("vscode.openFolder");
    return offerInstead(text, [[vscode.l10n.t("Open Folder"), open]]);
  }
  const config = configIn(folder);
  const root = vscode.Uri.joinPath(config, "..");
  const name = await askName(root);
  // While nothing is typed, the box shows no error; Enter then cancels.
  if (name === undefined || name === "") return;
  const template = await askTemplate();
  if (template === undefined) return;
  const wantsVenv = await askVenv();
  if (wantsVenv === undefined) return;
  const isAdded = await askToAdd(config);
  if (isAdded === undefined) return;
  const request: NewEnvironmentRequest = { name, template, folder: root.fsPath };
  const written = await ask<NewEnvironment>(server, ENVIRONMENT_REQUESTS.create, request);
  const inConfig = isAdded
    ? await addToConfig(server, config, { ...written, hasTest: true })
    : "unchanged";
  const program = vscode.Uri.joinPath(root, written.folder, "environment.py");
  await vscode.window.showTextDocument(program, { preview: false });
  if (wantsVenv && !(await makeVenv(server, { ...folder, uri: root }, written))) return;
  if (wantsVenv) return offerConfig(config, inConfig, vscode.l10n.t("{0} is ready.", name));
  const steps = await venvSteps(server, written);
  const command = shellCommands(steps, IS_WINDOWS);
  const text = vscode.l10n.t(
    "The files of {0} are written. Its packages are not installed yet. Install them with: {1}.",
    name,
    command,
  );
  await offerConfig(config, inConfig, text, [copyCommand(command)]);
}

/** The configuration in the editor, or else the folder's default one, which may not exist yet. */
function configIn({ uri }: vscode.WorkspaceFolder): vscode.Uri {
  const document = vscode.window.activeTextEditor?.document;
  const isOpen = document?.uri.scheme === "file" && isConfigDocument(document);
  return isOpen ? document.uri : vscode.Uri.joinPath(uri, DEFAULT_CONFIG);
}

async function askName(root: vscode.Uri): Promise<string | undefined> {
  const taken = new Set((await entries(vscode.Uri.joinPath(root, "environments"))).keys());
  return plainWindow.showInputBox({
    title: vscode.l10n.t("New Environment"),
    prompt: vscode.l10n.t("Name of the environment"),
    placeHolder: "letter-count",
    validateInput: (name) => {
      if (taken.has(name)) return vscode.l10n.t("{0} is already there.", `environments/${name}`);
      if (name === "" || isEnvironmentName(name)) return undefined;
      return vscode.l10n.t("Use lowercase letters, digits, _ and -, with a letter first.");
    },
  });
}

async function entries(folder: vscode.Uri): Promise<ReadonlyMap<string, vscode.FileType>> {
  return vscode.workspace.fs.readDirectory(folder).then(
    (found) => new Map(found),
    () => new Map(),
  );
}

async function askTemplate(): Promise<EnvironmentTemplateKind | undefined> {
  const items = ENVIRONMENT_TEMPLATES.map(({ kind, description }) => ({
    label: kind,
    detail: description,
    template: kind,
  }));
  const placeHolder = vscode.l10n.t("What kind of environment?");
  return (await plainWindow.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.template;
}

async function askVenv(): Promise<boolean | undefined> {
  const items = [
    {
      label: vscode.l10n.t("Make a Virtual Environment"),
      detail: vscode.l10n.t("Installs openreward and pytest with uv, or with Python's venv"),
      wantsVenv: true,
    },
    {
      label: vscode.l10n.t("Write the Files Only"),
      detail: vscode.l10n.t("You get the command that installs the packages"),
      wantsVenv: false,
    },
  ];
  const placeHolder = vscode.l10n.t("The environment runs in Python 3.11 or newer");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.wantsVenv;
}

/** True without a question if there is no configuration yet. */
async function askToAdd(config: vscode.Uri): Promise<boolean | undefined> {
  if (!(await isThere(config))) return true;
  const file = vscode.workspace.asRelativePath(config);
  const items = [
    {
      label: vscode.l10n.t("Add to {0}", file),
      detail: vscode.l10n.t("Its next runs also train in the new environment"),
      isAdded: true,
    },
    {
      label: vscode.l10n.t("Leave {0} Unchanged", file),
      detail: vscode.l10n.t("The lens above the Python class adds the environment later"),
      isAdded: false,
    },
  ];
  const placeHolder = vscode.l10n.t("Train in the new environment?");
  return (await plainWindow.showQuickPick(items, { placeHolder }))?.isAdded;
}

/** `faulty` when the configuration cannot be edited. */
type InConfig = "added" | "unchanged" | "faulty";

async function addToConfig(
  server: Requests,
  uri: vscode.Uri,
  {
    name,
    entry,
    config,
    hasTest,
  }: Pick<NewEnvironment, "config" | "entry" | "name"> & { readonly hasTest: boolean },
): Promise<InConfig> {
  if (!(await isThere(uri))) {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(config));
    await setContextKey("configCreated", true);
    return "added";
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { isDirty } = document;
  const insertion = await server.request<Insertion>(CONFIG_REQUESTS.insertEnvironment, {
    uri: uri.toString(),
    name,
    entry,
    hasTest,
  });
  if (insertion.kind !== "edits") return insertion.kind === "present" ? "added" : "faulty";
  await applyTextEdits(document, insertion.edits);
  // Do not save the user's own unsaved changes.
  if (!isDirty) await document.save();
  return "added";
}

/** @throws Error if there is no Python for it */
function venvSteps(
  server: Requests,
  { folder, python, requirements }: NewEnvironment,
): Promise<readonly ProgramWords[]> {
  const project = { folder, python, requirements };
  return ask(server, ENVIRONMENT_REQUESTS.venvSteps, project);
}

/** False if a step failed, which has been reported. @throws Error if there is no Python for it */
async function makeVenv(
  server: Requests,
  cwd: vscode.WorkspaceFolder,
  written: NewEnvironment,
): Promise<boolean> {
  const steps = await venvSteps(server, written);
  const name = vscode.l10n.t("Virtual Environment of {0}", written.name);
  for (const [index, words] of steps.entries()) {
    const code = await runInTerminal(words, { name, cwd });
    if (code === 0) continue;
    const left = shellCommands(steps.slice(index), IS_WINDOWS);
    await offerCommand(written.name, words[0], left);
    return false;
  }
  return true;
}

async function offerCommand(environment: string, program: string, command: string): Promise<void> {
  const text = vscode.l10n.t(
    "The virtual environment of {0} is not complete: {1} failed, as its terminal shows. Run by hand: {2}",
    environment,
    program,
    command,
  );
  await plainWindow.offer("Error", text, [copyCommand(command)]);
}

function copyCommand(command: string): Button {
  return [vscode.l10n.t("Copy Command"), () => vscode.env.clipboard.writeText(command)];
}

/** Says what the configuration has of a new environment, after the `text` on the environment itself. */
async function offerConfig(
  config: vscode.Uri,
  inConfig: InConfig,
  text: string,
  buttons: readonly Button[] = [],
): Promise<void> {
  const file = vscode.workspace.asRelativePath(config);
  const texts: Readonly<Record<InConfig, string>> = {
    added: vscode.l10n.t("{0} trains in it.", file),
    unchanged: vscode.l10n.t("{0} is unchanged.", file),
    faulty: vscode.l10n.t("{0} has faults: add it below environments.", file),
  };
  const open = () => vscode.window.showTextDocument(config, { preview: false });
  const all = [...buttons, [vscode.l10n.t("Open Configuration"), open] as const];
  await plainWindow.offer("Information", `${text} ${texts[inConfig]}`, all);
}
