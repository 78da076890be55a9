/** The command `show-prompt`: prints the first prompt of a task as the model reads it, with an example call and result. */

import * as l10n from "@vscode/l10n";
import { type PageSpan, promptPage } from "../../shared/promptPage.ts";
import type { ShowPromptCommand } from "../arguments/planningArguments.ts";
import type { TrainerProgram } from "../arguments/programOptions.ts";
import { type Line, type LinePiece, quietLine, styled } from "../terminal/line.ts";

/** Prints the prompt. @throws from the trainer */
export async function showPrompt(
  { fileSystem, trainer, out, err }: TrainerProgram,
  { kind: _, wantsIds, ...wanted }: ShowPromptCommand,
): Promise<void> {
  const onPart = (what: string): void => err.showLive(quietLine(what));
  try {
    const description = await trainer.previewPrompt(fileSystem, { ...wanted, onPart });
    err.showLive(null);
    const legend = l10n.t(
      "Control tokens are shown between {0}. Ordinary text never becomes one, even if it looks like one.",
      "⟦ ⟧",
    );
    out.print(promptPage(description, { legend, wantsIds }).map((line): Line => line.map(pieceOf)));
  } finally {
    err.showLive(null);
  }
}

function pieceOf({ kind, text }: PageSpan): LinePiece {
  switch (kind) {
    case "plain":
      return text;
    case "control":
      return styled("control", `⟦${text}⟧`);
    case "heading":
      return styled("strong", text);
    case "quiet":
      return styled("quiet", text);
    case "warning":
      return styled("warning", text);
  }
}
