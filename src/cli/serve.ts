/** The command `serve`: runs the local services on ports, and prints what clients need to connect. */

import * as l10n from "@vscode/l10n";
import { aborted } from "../core/util/abort.ts";
import type { LocalServers } from "../trainer/serve.ts";
import type { ServeCommand } from "./arguments/planningArguments.ts";
import type { TrainerProgram } from "./arguments/programOptions.ts";
import { untilInterrupt } from "./terminal/interrupts.ts";
import { BLANK, type Line, labelled, quietLine, settingLine, styled } from "./terminal/line.ts";

/** Serves until the first interrupt. @throws AppError from the services, also if one of them stops by itself */
export async function serveUntilInterrupt(
  parts: TrainerProgram,
  { kind: _, ...options }: ServeCommand,
): Promise<void> {
  const { out, trainer } = parts;
  await untilInterrupt(parts, async (signal) => {
    const served = await trainer.serve(options);
    out.print(addressLines(served, options.random));
    await aborted(AbortSignal.any([signal, served.failed]));
    out.print([[l10n.t("closing")]]);
    await served.close();
    if (served.failed.aborted) throw served.failed.reason;
  });
}

/** The variables with which the official Python packages train here. */
function addressLines(
  { tinkerUrl, environmentsUrl, key }: LocalServers,
  random: ServeCommand["random"],
): readonly Line[] {
  const model = random?.model ?? "local/tiny-tool";
  return [
    ...(random === null ? [] : randomLines(random)),
    labelled("Tinker", styled("strong", tinkerUrl)),
    labelled(l10n.t("environments"), styled("strong", environmentsUrl)),
    labelled(l10n.t("key"), styled("strong", key)),
    BLANK,
    [l10n.t("The official Python packages work with these services. Set in their shell:")],
    BLANK,
    settingLine("TINKER_BASE_URL", tinkerUrl),
    settingLine("TINKER_API_KEY", key),
    settingLine("OPENREWARD_API_URL", environmentsUrl),
    settingLine("OPENREWARD_SESSION_URL", environmentsUrl),
    settingLine("OPENREWARD_API_KEY", key),
    BLANK,
    [l10n.t("Then, with the packages tinker and openreward:")],
    BLANK,
    [`  tinker.ServiceClient().create_lora_training_client("${model}", rank=8)`],
    ['  openreward.OpenReward().environments.get("local/calculator")'],
    BLANK,
    quietLine(
      l10n.t("Only programs on this computer can connect. Press Ctrl+C to end both services."),
    ),
  ];
}

/** Makes clear that a real model's name does not make it that model. */
function randomLines({ model, tokenizer }: NonNullable<ServeCommand["random"]>): readonly Line[] {
  return [
    [
      styled(
        "warning",
        l10n.t("The weights are random. Use them for tests and to inspect formats."),
      ),
    ],
    [l10n.t("This is not {0}: it only has its name and tokenizer, and writes noise.", model)],
    [l10n.t("To train it, set in the configuration:")],
    BLANK,
    ["  model_name: ", model],
    ["  tokenizer_name: ", tokenizer],
    BLANK,
  ];
}
