/** Texts of the search. */

import * as l10n from "@vscode/l10n";
import type { SearchRole } from "../../src/shared/search.ts";

export const searchStrings = {
  regexHint: l10n.t("Search for a regular expression"),
  roles: {
    prompt: l10n.t("Prompt"),
    thinking: l10n.t("Thinking"),
    answer: l10n.t("Answer"),
    call: l10n.t("Call"),
    result: l10n.t("Result"),
    error: l10n.t("Error"),
  } satisfies Readonly<Record<SearchRole, string>>,
} as const;
