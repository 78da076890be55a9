/** Registers the tools of the table for language models, in editors that support such tools. */

import * as vscode from "vscode";
import { errorMessage } from "../../core/errors.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { TOOLS, type ToolId, toolName } from "../../server/tools/toolTable.ts";
import { toolText } from "../../server/tools/toolText.ts";

/** What a chat shows while a tool runs. */
function underWay(id: ToolId): string {
  const texts: Readonly<Record<ToolId, string>> = {
    listRuns: vscode.l10n.t("Reading the list of training runs"),
    readMetrics: vscode.l10n.t("Reading metrics of a run"),
    readRollouts: vscode.l10n.t("Reading rollouts of a run"),
    validateConfig: vscode.l10n.t("Checking a configuration"),
    explainAlarms: vscode.l10n.t("Reading the alarms of a run"),
  };
  return texts[id];
}

export interface ToolRegistration {
  /** A JSON text, or an error whose message says what to do. */
  readonly answer: (id: ToolId, input: unknown) => Promise<string>;
  readonly redactor: Redactor;
}

export function registerTools({ answer, redactor }: ToolRegistration): vscode.Disposable {
  // Forks of VS Code may not have it.
  const lm: Partial<typeof vscode.lm> | undefined = vscode.lm;
  const registerTool = lm?.registerTool;
  if (registerTool === undefined) return vscode.Disposable.from();
  const ids = Object.keys(TOOLS) as ToolId[]; // the type of the keys is that of the record
  const registered = ids.map((id) =>
    registerTool(toolName(id), {
      prepareInvocation: () => ({ invocationMessage: underWay(id) }),
      invoke: async ({ input }) => {
        try {
          const text = new vscode.LanguageModelTextPart(await answer(id, input));
          return new vscode.LanguageModelToolResult([text]);
        } catch (error) {
          // Frame it like an answer, because it contains run names and quotes from files.
          throw new Error(toolText({ error: errorMessage(error) }, { redactor }));
        }
      },
    }),
  );
  return vscode.Disposable.from(...registered);
}
