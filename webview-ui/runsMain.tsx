/** The page of the runs table. */

import * as l10n from "@vscode/l10n";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { watchTheme } from "./charts/drawing/palette.ts";
import { lazyView } from "./controls/lazyView.tsx";
import { connectShell, pageTitle } from "./model/shell.ts";
import { formatStart } from "./runs/runColumns.ts";
import { RunsGrid } from "./runs/runsGrid.tsx";
import { RunsModel, type RunsProps } from "./runs/runsModel.ts";
import { RunsToolbar } from "./runs/runsToolbar.tsx";
import { visibleLine } from "./text/visible.ts";

const root = document.querySelector("#root");
if (root !== null) {
  watchTheme();
  const runs = new RunsModel(connectShell("runs"));
  runs.listen();
  render(<RunsApp runs={runs} />, root);
  // Loads date formats while the host prepares its answer.
  formatStart(0);
}

/** Delay after the first rows, so that they are painted first. */
const PRELOAD_MS = 300;

function RunsApp({ runs }: RunsProps) {
  // Preloads the comparison, which is the usual next step.
  useEffect(() => {
    if (runs.isLoaded.value) setTimeout(Comparison.preload, PRELOAD_MS);
  }, [runs.isLoaded.value]);
  if (!runs.isLoaded.value) {
    return (
      <main class="message" aria-busy="true">
        <p>{l10n.t("Reading the runs…")}</p>
      </main>
    );
  }
  if (runs.runCount === 0) {
    return (
      <main class="message">
        <h1>{l10n.t("No run to show")}</h1>
        <p>
          {runs.isInEditor
            ? l10n.t("Start a run, or open a run folder in the Runs view.")
            : l10n.t(
                "Start a run in this project, or open another folder: {0}",
                "tinker-rl view FOLDER",
              )}
        </p>
      </main>
    );
  }
  if (runs.sweep.value !== null) {
    return (
      <main class="runs stack">
        <h1 class="visually-hidden">{l10n.t("Runs")}</h1>
        <Fault runs={runs} />
        <SweepOfRuns runs={runs} />
      </main>
    );
  }
  const title = pageTitle.value;
  const isComparing = runs.chosen.value.length > 0;
  const isFolded = isComparing && runs.layout.value.isTableFolded;
  return (
    <main class="runs stack">
      <h1 class={title === "" ? "visually-hidden" : "runs-title"}>{title || l10n.t("Runs")}</h1>
      {isFolded ? null : <RunsToolbar runs={runs} />}
      <Fault runs={runs} />
      {isFolded ? null : <RunsGrid runs={runs} />}
      {isComparing ? <Comparison runs={runs} /> : null}
    </main>
  );
}

const Comparison = lazyView(
  async () => (await import("./runs/compareView.tsx")).CompareView,
  "comparisonStyle.css",
);

const SweepOfRuns = lazyView(
  async () => (await import("./runs/sweepView.tsx")).SweepView,
  "sweepStyle.css",
);

function Fault({ runs }: RunsProps) {
  const message = runs.error.value;
  return (
    <div role="alert">
      {message === null ? null : <p class="error runs-fault">{visibleLine(message)}</p>}
    </div>
  );
}
