/** Texts of the chat page. */

import * as l10n from "@vscode/l10n";
import { formatCount } from "../../src/shared/format.ts";

export const chatStrings = {
  title: l10n.t("Conversation"),

  states: {
    sampling: (done: number, total: number) =>
      l10n.t("Sampling: {0} of {1} done", formatCount(done), formatCount(total)),
    calling: (tool: string) => l10n.t("The environment runs the tool {0}…", tool),
    asked: (model: string, tool: string) =>
      l10n.t("{0} calls the tool {1}. Write what the tool answers.", model, tool),
    choice: l10n.t("Choose a sample, or write a message to continue with the first."),
    stopped: l10n.t("Stopped before the model's turn."),
    message: l10n.t("Write a message."),
    over: l10n.t("The episode is over. Undo or try again to take another path."),
    ended: l10n.t("The conversation has ended."),
  },
} as const;
