/** Offers the tools of the table to language models, in editors that have such tools. */

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
  // Editors that are made from VS Code may leave it out.
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
          // It names runs and quotes files as an answer does.
          throw new Error(toolText({ error: errorMessage(error) }, { redactor }));
        }
      },
    }),
  );
  return vscode.Disposable.from(...registered);
}
