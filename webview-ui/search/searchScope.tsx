/** Scope of the rollouts' filter box: the list, or the texts of one step, all steps, or all runs. */

import * as l10n from "@vscode/l10n";
import { Select } from "../controls/choice.tsx";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";

const SCOPES = ["list", "messages", "steps", "runs"] as const;
type Scope = (typeof SCOPES)[number];

const NAMES: Readonly<Record<Scope, string>> = {
  list: l10n.t("In this list"),
  messages: l10n.t("In messages of this step"),
  steps: l10n.t("In all steps"),
  runs: l10n.t("In all runs"),
};

export function SearchScope({ dashboard }: DashboardProps) {
  return (
    <Select
      aria-label={l10n.t("Where to search")}
      title={l10n.t("Where to search. Messages are prompts, answers and tool results.")}
      value={scopeOf(dashboard)}
      values={SCOPES}
      name={(scope) => NAMES[scope]}
      choose={(scope) => choose(dashboard, scope)}
    />
  );
}

function scopeOf({ view }: DashboardModel): Scope {
  const { rolloutPart, search, filter } = view.value;
  if (rolloutPart === "search") return search.isEveryRun ? "runs" : "steps";
  return filter.isInMessages ? "messages" : "list";
}

/** Switches the scope and keeps the typed text. */
function choose(dashboard: DashboardModel, scope: Scope): void {
  const { rolloutPart, search, filter } = dashboard.view.peek();
  const typed = rolloutPart === "search" ? search.text : filter.text;
  const isInMessages = scope === "messages";
  if (scope === "list" || isInMessages) {
    dashboard.update({ rolloutPart: "list", filter: { ...filter, text: typed, isInMessages } });
    return;
  }
  const text = typed === "" ? search.text : typed;
  dashboard.update({
    rolloutPart: "search",
    filter: { ...filter, text: "" },
    search: { ...search, text, isEveryRun: scope === "runs" },
  });
}
