/** Asks which settings a sweep varies, and over which values. */

import * as vscode from "vscode";
import { splitValues } from "../../core/config/overrideWords.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { countCombinations } from "../../core/sweeps/grid.ts";
import { planSweep, type SweepRequest } from "../../core/sweeps/planSweep.ts";
import { plural } from "../../shared/format.ts";
import { askSettings, assignments, type Chosen } from "./askSettings.ts";
import { plainDoc, sweepableSettings } from "./tunableSettings.ts";

/** Comma-separated values by key; undefined if the user canceled. Validated like the sweep itself. */
export async function askGrid(
  configuration: Omit<SweepRequest, "grid">,
): Promise<Chosen | undefined> {
  const result = parseConfig(configuration.text, configuration);
  const values: unknown = result.ok ? result.config : null;
  return askSettings({
    settings: isJsonObject(values) ? sweepableSettings(values) : [],
    title: vscode.l10n.t("Start Sweep"),
    placeHolder: ({ size }) =>
      size === 0
        ? vscode.l10n.t("Which setting varies?")
        : vscode.l10n.t("Which other setting varies?"),
    ignoreFocusOut: true,
    row: (_, entered) => ({ description: entered, icon: "list-flat" }),
    done: (chosen) => ({
      label: plural(combinations(chosen), "Continue with {0} Run", "Continue with {0} Runs"),
      description: assignments(chosen).join(" "),
    }),
    prompt: ({ field }) =>
      vscode.l10n.t(
        "{0} Expected: {1}. Separate values with commas; leave empty to keep the setting.",
        plainDoc(field),
        expectationOf(field),
      ),
    unchanged: () => "",
    fault: (chosen) => {
      const check = planSweep({ ...configuration, grid: assignments(chosen) });
      return check.ok ? undefined : check.problems[0]?.message;
    },
  });
}

function combinations(chosen: Chosen): number {
  return countCombinations(
    [...chosen].map(([key, values]) => ({ key, values: splitValues(values) })),
  );
}
