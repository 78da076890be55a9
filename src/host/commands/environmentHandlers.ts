/** Handlers of the commands for environments from services and this computer. */

import * as vscode from "vscode";
import * as z from "zod";
import {
  type Catalogue,
  findEnvironment,
  plainName,
} from "../../core/config/editing/catalogue/catalogue.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import {
  environmentPage,
  OPENREWARD_ACCOUNT_URL,
  OPENREWARD_PAGES_URL,
} from "../../core/services.ts";
import type { EnvironmentLists } from "../catalogue/environmentLists.ts";
import type { OwnEnvironment, OwnServers } from "../runs/ownServers.ts";
import { clickedRow } from "../views/clickedRow.ts";
import type { EnvironmentsView } from "../views/environmentsView.ts";
import type { Trees } from "../views/trees.ts";
import { offerInstead, showEnvironments } from "../vscode/offerInstead.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { Register } from "../vscode/register.ts";
import type { CommandHandlers } from "../vscode/registerCommands.ts";

export interface EnvironmentHandlerOptions {
  readonly environments: EnvironmentsView;
  readonly trees: Pick<Trees, "environments">;
  readonly catalogue: Pick<EnvironmentLists, "current" | "deploymentLog">;
  readonly servers: Pick<OwnServers, "showLog" | "start" | "stop">;
  readonly register: Register;
}

export function environmentHandlers({
  environments,
  trees,
  catalogue,
  servers,
  register,
}: EnvironmentHandlerOptions) {
  const logs = register(createDeploymentLogs());
  return {
    openEnvironmentPage: async (target) => {
      const page = pageOf(target, catalogue.current());
      if (page !== null) await vscode.env.openExternal(vscode.Uri.parse(page));
      else await offerInstead(noPageText(target), [showEnvironments()]);
    },
    openDeploymentLogs: async (target) => {
      const name = nameIn(target);
      if (name === undefined || pageOf(target, catalogue.current()) === null) {
        await offerInstead(noPageText(target), [showEnvironments()]);
        return;
      }
      const text = await plainWindow.withProgress(
        { location: { viewId: "tinkerRL.environments" } },
        () => catalogue.deploymentLog(name),
      );
      if (text !== null) await logs.show(plainName(name), text);
    },
    startServer: (target) => onOwn(target, (environment) => servers.start(environment)),
    stopServer: (target) => onOwn(target, ({ name }) => servers.stop(name)),
    showServerLog: (target) => onOwn(target, async ({ name }) => servers.showLog(name)),
    showMoreTasks: async () => environments.showMore(await clickedRow(trees.environments.view)),
    openOpenRewardAccount: async () => {
      await vscode.env.openExternal(vscode.Uri.parse(OPENREWARD_ACCOUNT_URL));
    },
    refreshEnvironments: () =>
      plainWindow.withProgress({ location: { viewId: "tinkerRL.environments" } }, () =>
        environments.refresh(),
      ),
  } satisfies Partial<CommandHandlers>;
}

function nameIn(target: unknown): string | undefined {
  return z.object({ name: z.string() }).safeParse(target).data?.name;
}

function noPageText(target: unknown): string {
  const name = nameIn(target);
  return name !== undefined
    ? vscode.l10n.t("{0} has no page at OpenReward.", name)
    : vscode.l10n.t("Select an environment in the Environments view first.");
}

/** Names come from lists and files, so only pages of OpenReward are allowed. */
function pageOf(target: unknown, catalogue: Catalogue): string | null {
  const name = nameIn(target);
  if (name === undefined || isLocalModel(name)) return null;
  const page = findEnvironment(catalogue, name)?.page ?? null;
  if (page?.startsWith(`${OPENREWARD_PAGES_URL}/`) === true) return page;
  return environmentPage(plainName(name));
}

async function onOwn(
  target: unknown,
  act: (environment: OwnEnvironment) => Promise<void>,
): Promise<void> {
  const own = z.object({ name: z.string(), config: z.string() }).safeParse(target).data;
  if (own !== undefined) await act(own);
  else await offerInstead(noPageText(undefined), [showEnvironments()]);
}

const SCHEME = "tinker-rl-deployment";

function createDeploymentLogs() {
  const texts = new Map<string, string>();
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const listeners = vscode.Disposable.from(
    changes,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changes.event,
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void texts.delete(uri.toString())),
  );
  return {
    show: async (name: string, text: string): Promise<void> => {
      // With the extension `.log`, the editor highlights times and levels.
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.log` });
      texts.set(uri.toString(), text);
      changes.fire(uri);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    },
    dispose: (): void => void listeners.dispose(),
  };
}
