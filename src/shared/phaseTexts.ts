/** Names of run phases. */

import * as l10n from "@vscode/l10n";
import type { RunPhase } from "./runFile.ts";

/**
 * `interrupted`: the trainer disappeared without reporting an end. `unreadable`: another version wrote `run.json`. `foreign`: another
 * program wrote the folder.
 */
export type ShownPhase = RunPhase | "interrupted" | "unreadable" | "foreign";

export function phaseTexts(): Readonly<Record<ShownPhase, string>> {
  return {
    preparing: l10n.t("preparing"),
    running: l10n.t("running"),
    pausing: l10n.t("pausing"),
    paused: l10n.t("paused"),
    finishing: l10n.t("finishing"),
    done: l10n.t("done"),
    failed: l10n.t("failed"),
    stopped: l10n.t("stopped"),
    dropped: l10n.t("dropped"),
    interrupted: l10n.t("interrupted"),
    unreadable: l10n.t("unreadable"),
    foreign: l10n.t("no run.json"),
  };
}
