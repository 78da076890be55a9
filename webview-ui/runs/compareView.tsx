/** The comparison of the selected runs below the table: charts, evaluations, configuration. */

import * as l10n from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { Button, IconButton } from "../controls/button.tsx";
import { MiddleCut } from "../controls/middleCut.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { Tabs } from "../controls/tabs.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { KeyText } from "../text/keyText.tsx";
import { visibleLine } from "../text/visible.ts";
import { CompareCharts } from "./compareCharts.tsx";
import { CompareEvaluations } from "./compareEvaluations.tsx";
import { followPointer } from "./dragMove.ts";
import { COMPARE_TABS } from "./layout.ts";
import { settingText } from "./runColumns.ts";
import { RunHead } from "./runHead.tsx";
import { runLook } from "./runLook.ts";
import type { RunsModel, RunsProps } from "./runsModel.ts";

export function CompareView({ runs }: RunsProps) {
  const compared = runs.compared.value;
  const ids = compared.map(({ id }) => id);
  const { tab, compareShare, charts, isTableFolded } = runs.layout.value;
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => foldWhenUsed(body.current, runs), [runs]);
  useEffect(() => runs.compare.show(ids, charts), [runs, ids.join()]);
  return (
    <section class="compare stack" aria-label={text.compare} style={{ flexGrow: compareShare }}>
      {isTableFolded ? null : <Divider runs={runs} />}
      <div class="compare-head wrap">
        <Tabs
          label={text.compare}
          tabs={COMPARE_TABS}
          chosen={tab}
          prefix="compare"
          panel="compare-view"
          name={(own) => text.tabs[own]}
          choose={(own) => runs.update({ tab: own })}
        />
        <ChosenRuns runs={runs} />
        <Button
          class="quiet"
          icon={isTableFolded ? "chevronDown" : "chevronUp"}
          label={isTableFolded ? l10n.t("Show table") : l10n.t("Hide table")}
          onClick={() => runs.update({ isTableFolded: !isTableFolded })}
        />
      </div>
      <div
        class="compare-body pane"
        ref={body}
        id="compare-view"
        role="tabpanel"
        aria-labelledby={`compare-${tab}`}
      >
        {tab === "charts" ? <CompareCharts runs={runs} /> : null}
        {tab === "evaluations" ? <CompareEvaluations runs={runs} /> : null}
        {tab === "config" ? <CompareConfig runs={runs} /> : null}
      </div>
    </section>
  );
}

/** In a short window, folds the table when the person starts using the comparison. Returns a function that stops listening. */
function foldWhenUsed(body: HTMLElement | null, runs: RunsModel): () => void {
  const fold = (): void => runs.foldTableWhereLow();
  const ending = new AbortController();
  for (const kind of ["click", "wheel", "keydown"]) {
    body?.addEventListener(kind, fold, { passive: true, signal: ending.signal });
  }
  return () => ending.abort();
}

/** The legend of all charts; each run can be removed here. */
function ChosenRuns({ runs }: RunsProps) {
  return (
    <ul class="compare-runs" aria-label={l10n.t("Compared runs")}>
      {runs.compared.value.map(({ id, name }) => (
        <li key={id}>
          <Swatch {...runLook(runs.lookOf(id) ?? 0)} />
          <MiddleCut text={visibleLine(name)} />
          {id === runs.pinned.value ? <span class="fact">{text.baseline}</span> : null}
          <IconButton
            icon={id === runs.pinned.value ? "pinned" : "pin"}
            label={l10n.t("Pin {0} as the baseline", visibleLine(name))}
            hint={
              id === runs.pinned.value
                ? l10n.t("Unpin the baseline")
                : l10n.t("Pin as the baseline: values of other runs show their difference from it")
            }
            aria-pressed={id === runs.pinned.value}
            onClick={() => runs.toggleBaseline(id)}
          />
          <IconButton
            icon="close"
            label={l10n.t("Remove {0}", visibleLine(name))}
            onClick={() => runs.toggle(id)}
          />
        </li>
      ))}
    </ul>
  );
}

const MIN_SHARE = 0.2;
const MAX_SHARE = 8;

/** Divides table and comparison; the arrow keys and the mouse move it. */
function Divider({ runs }: RunsProps) {
  const set = (share: number): void =>
    runs.update({ compareShare: Math.max(MIN_SHARE, Math.min(MAX_SHARE, share)) });
  const share = runs.layout.value.compareShare;
  const drag = (event: PointerEvent): void => {
    const view = (event.currentTarget as Element).closest(".runs"); // the divider
    followPointer(event, ({ clientY }) => {
      if (view === null) return;
      const { top, height } = view.getBoundingClientRect();
      const above = Math.max(1, clientY - top);
      set((height - above) / above);
    });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="compare-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={l10n.t("Height of the comparison")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((100 * share) / (1 + share))}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const factor = { ArrowUp: 1.25, ArrowDown: 0.8 }[event.key];
        if (factor === undefined) return;
        event.preventDefault();
        set(share * factor);
      }}
    />
  );
}

function CompareConfig({ runs }: RunsProps) {
  const compared = runs.compared.value;
  const [first] = compared;
  const keys = runs.settingKeys.value.filter(
    (key) => new Set(compared.map(({ settings }) => settings[key])).size > 1,
  );
  if (first === undefined) return null;
  return (
    <div class="compare-page stack">
      {keys.length === 0 ? (
        <p class="message">{l10n.t("These runs have the same settings.")}</p>
      ) : null}
      <ScrollRegion label={text.tabs.config}>
        <table class="plain config-table">
          <thead>
            <tr>
              <th scope="col">{l10n.t("Setting")}</th>
              {compared.map((run) => (
                <th scope="col" key={run.id}>
                  <RunHead runs={runs} run={run} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key}>
                <th scope="row" class="name">
                  <KeyText text={visibleLine(key)} />
                </th>
                {compared.map(({ id, settings }) => (
                  <td
                    key={id}
                    class="config-value"
                    data-differs={settings[key] !== first.settings[key]}
                  >
                    {settingText(settings[key])}
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">{l10n.t("Whole configuration")}</th>
              {compared.map(({ id, name }) => (
                <td key={id}>
                  {id === first.id ? (
                    <span class="fact">{text.baseline}</span>
                  ) : runs.isInEditor ? (
                    <Button
                      class="link"
                      label={l10n.t("Open diff")}
                      title={l10n.t(
                        "Compares the configurations of {0} and {1} in the editor",
                        visibleLine(first.name),
                        visibleLine(name),
                      )}
                      onClick={() => runs.send({ kind: "diff", left: first.id, right: id })}
                    />
                  ) : null}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}
