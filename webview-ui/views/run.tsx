/** The Run tab: timeline, tasks, configuration, log, and checkpoints. */

import * as l10n from "@vscode/l10n";
import { Button } from "../controls/button.tsx";
import { lazyView } from "../controls/lazyView.tsx";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { RUN_PARTS, type RunPart } from "../model/viewState.ts";
import { strings } from "../strings/strings.ts";
import { Checkpoints } from "./checkpoints.tsx";
import { Config } from "./config.tsx";
import { Log } from "./log.tsx";

const Timeline = lazyView<DashboardProps>(
  async () => (await import("./timeline/timeline.tsx")).Timeline,
  "timelineStyle.css",
);

const Tasks = lazyView<DashboardProps>(
  async () => (await import("./tasks.tsx")).Tasks,
  "tasksStyle.css",
);

const POOL_METRIC = "curriculum/open";

export function Run({ dashboard }: DashboardProps) {
  const parts = runPartsOf(dashboard);
  const { runPart: chosen } = dashboard.view.value;
  const part = parts.includes(chosen) ? chosen : (parts[0] ?? "log");
  const count = dashboard.data.checkpoints.value.length;
  return (
    <div class="run-view stack">
      <div class="run-head wrap">
        <fieldset class="segments">
          <legend class="visually-hidden">{l10n.t("Show of the run")}</legend>
          {parts.map((own) => (
            <Button
              class="toggle"
              key={own}
              label={
                own === "checkpoints" && count > 0
                  ? `${strings.runParts[own]} (${count})`
                  : strings.runParts[own]
              }
              aria-pressed={own === part}
              onClick={() => dashboard.update({ runPart: own })}
            />
          ))}
        </fieldset>
      </div>
      <div class="fill">
        <Part dashboard={dashboard} part={part} />
      </div>
    </div>
  );
}

function Part({ dashboard, part }: DashboardProps & { readonly part: RunPart }) {
  switch (part) {
    case "timeline":
      return <Timeline dashboard={dashboard} />;
    case "tasks":
      return <Tasks dashboard={dashboard} />;
    case "config":
      return <Config dashboard={dashboard} />;
    case "log":
      return <Log dashboard={dashboard} />;
    case "checkpoints":
      return <Checkpoints dashboard={dashboard} />;
  }
}

/** Parts with content: evaluations save no checkpoints, supervised runs have no rollouts, and imported folders may have only metrics. */
export function runPartsOf({ data, selection }: DashboardModel): readonly RunPart[] {
  const run = data.run.value;
  if (run?.state === "foreign" && selection.sets.value.length === 0) {
    return data.checkpoints.value.length > 0 ? ["checkpoints"] : [];
  }
  // Only runs with a curriculum have its metrics.
  const hasCurriculum = data.columnsVersion.value >= 0 && data.columns.names.includes(POOL_METRIC);
  return RUN_PARTS.filter((own) => {
    if (own === "tasks") return hasCurriculum;
    if (own === "checkpoints") return run?.evaluatedModels == null;
    return own !== "timeline" || run?.examples == null;
  });
}
