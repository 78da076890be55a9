/** The frame: header, alarms, tabs, and the chosen view. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import { hasEnded } from "../../src/shared/hasEnded.ts";
import { Button } from "../controls/button.tsx";
import { lazyView } from "../controls/lazyView.tsx";
import { LiveRegion } from "../controls/liveRegion.tsx";
import { Tabs } from "../controls/tabs.tsx";
import { useKeys } from "../controls/useKeys.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { globalKey } from "../model/keys.ts";
import { placeOf, TABS, type Tab } from "../model/viewState.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { Summary } from "./alarms.tsx";
import { Evaluations } from "./evaluations.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";
import { Run, runPartsOf } from "./run.tsx";

const Trajectories = lazyView<DashboardProps>(
  async () => (await import("./trajectories.tsx")).Trajectories,
  "trajectoriesStyle.css",
);

const Search = lazyView<DashboardProps>(
  async () => (await import("../search/searchTab.tsx")).SearchTab,
  "search.css",
);

const Changes = lazyView<DashboardProps>(
  async () => (await import("../changes/changesTab.tsx")).ChangesTab,
  "changes.css",
);

export function App({ dashboard }: DashboardProps) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys((event) => globalKey(event, dashboard, () => setHelpOpen(true)));
  const status = dashboard.status.value;
  if (status === "empty") {
    return (
      <main class="message">
        <h1>{l10n.t("No run to show")}</h1>
        <p>{l10n.t("Start a run, or open a run in the Runs view.")}</p>
      </main>
    );
  }
  if (status === "gone") return <Gone dashboard={dashboard} />;
  if (status === "loading") {
    return (
      <main class="message" aria-busy="true">
        <p>{strings.loading}</p>
      </main>
    );
  }
  const { tab: chosen } = dashboard.view.value;
  const tabs = tabsOf(dashboard);
  const tab = tabs.includes(chosen) ? chosen : (tabs[0] ?? "overview");
  return (
    <>
      <Header dashboard={dashboard} openHelp={() => setHelpOpen(true)} />
      <main class="fill stack">
        <div class="tab-row row">
          <Tabs
            label={l10n.t("Views of the run")}
            tabs={tabs}
            chosen={tab}
            prefix="tab"
            panel="view"
            choose={(own) => dashboard.update(placeOf(own))}
            name={(own) =>
              own === "rollouts" && dashboard.data.run.value?.examples != null
                ? strings.tabs.examples
                : strings.tabs[own]
            }
          />
          <OfferedRun dashboard={dashboard} />
        </div>
        <Summary dashboard={dashboard} hasSentence={tab === "overview"} />
        <div id="view" class="fill" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <View dashboard={dashboard} tab={tab} />
        </div>
      </main>
      <LiveRegion dashboard={dashboard} />
      {isHelpOpen ? <Help dashboard={dashboard} close={() => setHelpOpen(false)} /> : null}
    </>
  );
}

function View({ dashboard, tab }: DashboardProps & { readonly tab: Tab }) {
  switch (tab) {
    case "overview":
      return <Overview dashboard={dashboard} />;
    case "rollouts":
      return <Rollouts dashboard={dashboard} />;
    case "evaluations":
      return <Evaluations dashboard={dashboard} />;
    case "run":
      return <Run dashboard={dashboard} />;
  }
}

function Rollouts({ dashboard }: DashboardProps) {
  switch (dashboard.view.value.rolloutPart) {
    case "list":
      return <Trajectories dashboard={dashboard} />;
    case "search":
      return <Search dashboard={dashboard} />;
    case "changes":
      return <Changes dashboard={dashboard} />;
  }
}

/** Tabs with content: a separate evaluation has no training views, and an imported folder may contain only metrics. */
function tabsOf(dashboard: DashboardModel): readonly Tab[] {
  const { data, selection } = dashboard;
  const run = data.run.value;
  if (run?.examples === "read") return ["rollouts"];
  if (run?.evaluatedModels != null) return ["evaluations", "rollouts", "run"];
  if (run?.state !== "foreign" || selection.sets.value.length > 0) return TABS;
  return TABS.filter((own) => {
    if (own === "evaluations") return data.evaluations.value.length > 0;
    return own === "overview" || (own === "run" && runPartsOf(dashboard).length > 0);
  });
}

function OfferedRun({ dashboard }: DashboardProps) {
  const { offered, data, host } = dashboard;
  const shown = data.run.value?.id;
  const run = data.runs.value.find(({ id }) => id === offered.value);
  const isUnderWay = run !== undefined && run.id !== shown && !hasEnded(run.state);
  return (
    <span class="offered" role="status">
      {isUnderWay ? (
        <Button
          class="link cut"
          label={l10n.t("Started: {0}", visibleLine(run.name))}
          title={l10n.t("Show this run")}
          onClick={() => {
            host.selectRun(run.id);
            // The button disappears, and keyboard users would lose the focus.
            document.querySelector<HTMLElement>(".run-picker select")?.focus();
          }}
        />
      ) : null}
    </span>
  );
}

function Gone({ dashboard }: DashboardProps) {
  const { host } = dashboard;
  const gone = dashboard.gone.value;
  if (gone === null) return null;
  return (
    <main class="message">
      <h1>{l10n.t("The folder of this run no longer exists: {0}", visibleLine(gone.folder))}</h1>
      <p>
        {l10n.t(
          "It was deleted, moved or renamed. If you moved it, open it where it is now. A folder in the trash can be restored.",
        )}
      </p>
      <div class="message-actions wrap">
        {host.can("importRun") ? (
          <Button
            class="secondary"
            label={l10n.t("Open run folder…")}
            onClick={() => host.command("importRun")}
          />
        ) : null}
        {gone.runs.length === 0 ? null : (
          <select
            aria-label={l10n.t("Show another run")}
            value=""
            onChange={({ currentTarget: { value } }) => host.selectRun(value)}
          >
            <option value="" disabled>
              {l10n.t("Show another run")}
            </option>
            {gone.runs.map(({ id, name, state }) => (
              <option key={id} value={id}>
                {`${visibleLine(name)} (${strings.states[state]})`}
              </option>
            ))}
          </select>
        )}
      </div>
    </main>
  );
}
