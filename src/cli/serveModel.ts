/** The command `serve-model`: weights over the protocols that other programs speak with models, until an interrupt. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import { aborted } from "../core/util/abort.ts";
import { formatCount } from "../shared/format.ts";
import type { ServedModel } from "../trainer/chat/serveModel.ts";
import type { ServeModelCommand } from "./arguments/planningArguments.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { usedLines } from "./terminal/endLines.ts";
import { interruptSignal } from "./terminal/interrupts.ts";
import { BLANK, type Line, labelled, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError as a conversation does that cannot begin; `local-service` when the engine ends by itself */
export async function serveModelUntilInterrupt(
  { out, err, fileSystem, interrupts, trainer }: ProgramOptions,
  { kind: _, ...wanted }: ServeModelCommand,
): Promise<void> {
  const stopped = new AppError("stopped", l10n.t("stopped"));
  const { signal, release } = interruptSignal(interrupts, stopped);
  const onPart = (what: string): void => err.showLive([styled("quiet", what)]);
  try {
    const opening = { ...wanted, onPart, signal };
    const served = await trainer.serveModel(fileSystem, opening);
    err.showLive(null);
    out.print(addressLines(served));
    await aborted(AbortSignal.any([signal, served.failed]));
    const fault = signal.aborted ? null : served.failed.reason;
    out.print(usedLines(served.used()));
    await served.close();
    if (fault !== null) throw fault;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    err.showLive(null);
    release();
  }
}

/** The variables that lead the official packages here. */
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
    setting("OPENAI_BASE_URL", `${url}/v1`),
    setting("OPENAI_API_KEY", key),
    setting("ANTHROPIC_BASE_URL", url),
    setting("ANTHROPIC_API_KEY", key),
    BLANK,
    [
      styled(
        "quiet",
        l10n.t("Only programs on this computer can connect. Press Ctrl+C to end the server."),
      ),
    ],
  ];
}

function setting(name: string, value: string): Line {
  return [`  export ${name}=${value}`];
}
