/** The Config view. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";

export const configStrings = {
  filter: l10n.t("Filter keys and values"),
  onlyChanged: l10n.t("Only what is set"),
  key: l10n.t("Key"),
  value: l10n.t("Value"),
  origin: l10n.t("From"),
  origins: { file: l10n.t("file"), override: l10n.t("override"), default: l10n.t("default") },
  tunable: l10n.t("tunable"),
  tunableHint: l10n.t("A running training can be given a new value"),
  open: (key: string) => l10n.t("Open {0} in the configuration", key),
  openFile: l10n.t("Open configuration"),
  overrides: l10n.t("Overrides"),
  empty: l10n.t("This folder has no readable config.resolved.json."),
  noMatch: l10n.t("No key matches."),
  count: (shown: number, total: number) =>
    shown === total
      ? plural(total, "{0} key", "{0} keys")
      : plural(total, "{1} of {0} key", "{1} of {0} keys", formatCount(shown)),
} as const;
