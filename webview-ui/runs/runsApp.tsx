/** The page of the runs table. */

import { useEffect } from "preact/hooks";
import { lazyView } from "../controls/lazyView.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import { RunsGrid } from "./runsGrid.tsx";
import type { RunsModel } from "./runsModel.ts";
import { RunsToolbar } from "./runsToolbar.tsx";

/** After the first rows, which are painted before. */
const PRELOAD_MS = 300;

interface RunsProps {
  readonly runs: RunsModel;
}

export function RunsApp({ runs }: RunsProps) {
  // The table's purpose is to choose runs from it: what compares them loads while the person reads.
  useEffect(() => {
    if (runs.isLoaded.value) setTimeout(Comparison.preload, PRELOAD_MS);
  }, [runs.isLoaded.value]);
  if (!runs.isLoaded.value) {
    return (
      <main class="message" aria-busy="true">
        <p>{text.loading}</p>
      </main>
    );
  }
  if (runs.runCount === 0) {
    return (
      <main class="message">
        <h1>{text.empty}</h1>
        <p>{text.emptyHint}</p>
      </main>
    );
  }
  const isComparing = runs.chosen.value.length > 0;
  const isFolded = isComparing && runs.layout.value.isTableFolded;
  return (
    <main class="runs">
      <h1 class="visually-hidden">{text.title}</h1>
      {isFolded ? null : <RunsToolbar runs={runs} />}
      <Fault runs={runs} />
      {isFolded ? null : <RunsGrid runs={runs} />}
      {isComparing ? <Comparison runs={runs} /> : null}
    </main>
  );
}

const Comparison = lazyView(
  async () => (await import("./compareView.tsx")).CompareView,
  "comparisonStyle.css",
);

function Fault({ runs }: RunsProps) {
  const message = runs.error.value;
  return (
    <div role="alert">
      {message === null ? null : <p class="error runs-fault">{visibleLine(message)}</p>}
    </div>
  );
}
