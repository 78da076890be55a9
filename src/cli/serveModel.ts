/** The command `serve-model`: serves weights over standard model APIs until an interrupt. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import { aborted } from "../core/util/abort.ts";
import { formatCount } from "../shared/format.ts";
import type { ServedModel } from "../trainer/chat/serveModel.ts";
import type { ServeModelCommand } from "./arguments/planningArguments.ts";
import type { TrainerProgram } from "./arguments/programOptions.ts";
import { usedLines } from "./terminal/endLines.ts";
import { untilInterrupt } from "./terminal/interrupts.ts";
import { BLANK, type Line, labelled, quietLine, settingLine, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError if a conversation cannot start; `local-service` if the engine stops by itself */
export async function serveModelUntilInterrupt(
  options: TrainerProgram,
  { kind: _, ...wanted }: ServeModelCommand,
): Promise<void> {
  const { out, err, fileSystem, trainer } = options;
  const serve = async (signal: AbortSignal): Promise<void> => {
    const onPart = (what: string): void => err.showLive(quietLine(what));
    const onNotice = (message: string): void => err.print([[styled("warning", message)]]);
    try {
      const served = await trainer.serveModel(fileSystem, { ...wanted, onPart, onNotice, signal });
      err.showLive(null);
      out.print(addressLines(served));
      await aborted(AbortSignal.any([signal, served.failed]));
      const fault = signal.aborted ? null : served.failed.reason;
      out.print(usedLines(served.used()));
      await served.close();
      if (fault !== null) throw fault;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  await untilInterrupt(options, serve, new AppError("stopped", l10n.t("stopped")));
}

/** The variables that direct the official packages here. */
function addressLines({ url, key, label, maxTotalTokens, notes }: ServedModel): readonly Line[] {
  return [
    ...notes.map((note): Line => [styled("warning", note)]),
    labelled(l10n.t("model"), styled("strong", label)),
    labelled(l10n.t("context"), l10n.t("{0} tokens", formatCount(maxTotalTokens))),
    labelled("OpenAI", styled("strong", `${url}/v1`)),
    labelled("Anthropic", styled("strong", url)),
    labelled(l10n.t("key"), styled("strong", key)),
    BLANK,
    [l10n.t("The official packages of both work with this model. Set in their shell:")],
    BLANK,
    settingLine("OPENAI_BASE_URL", `${url}/v1`),
    settingLine("OPENAI_API_KEY", key),
    settingLine("ANTHROPIC_BASE_URL", url),
    settingLine("ANTHROPIC_API_KEY", key),
    BLANK,
    quietLine(
      l10n.t("Only programs on this computer can connect. Press Ctrl+C to end the server."),
    ),
  ];
}
