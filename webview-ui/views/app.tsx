/** The frame: header, alarms, tabs, and the chosen view. */

import { useLayoutEffect, useState } from "preact/hooks";
import { LiveRegion } from "../controls/liveRegion.tsx";
import { nextPosition } from "../controls/toolbar.tsx";
import { globalKey } from "../keys.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import { TABS, type Tab } from "../viewState.ts";
import { Alarms } from "./alarms.tsx";
import { Checkpoints } from "./checkpoints.tsx";
import { Config } from "./config.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";
import { Trajectories } from "./trajectories.tsx";

interface PanelProps {
  readonly panel: PanelModel;
}

export function App({ panel }: PanelProps) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => globalKey(event, panel, () => setHelpOpen(true));
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [panel]);
  const status = panel.status.value;
  if (status === "empty") {
    return (
      <main class="message">
        <h1>{strings.empty}</h1>
        <p>{strings.emptyHint}</p>
      </main>
    );
  }
  if (status === "loading") {
    return (
      <main class="message" aria-busy="true">
        <p>{strings.loading}</p>
      </main>
    );
  }
  const { tab } = panel.view.value;
  return (
    <>
      <Header panel={panel} openHelp={() => setHelpOpen(true)} />
      <Alarms panel={panel} />
      <main class="view">
        <TabList panel={panel} />
        <div id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          <View panel={panel} tab={tab} />
        </div>
      </main>
      <LiveRegion panel={panel} />
      {isHelpOpen ? <Help panel={panel} close={() => setHelpOpen(false)} /> : null}
    </>
  );
}

function View({ panel, tab }: PanelProps & { readonly tab: Tab }) {
  switch (tab) {
    case "overview":
      return <Overview panel={panel} />;
    case "trajectories":
      return <Trajectories panel={panel} />;
    case "checkpoints":
      return <Checkpoints panel={panel} />;
    case "config":
      return <Config panel={panel} />;
  }
}

function TabList({ panel }: PanelProps) {
  const { tab } = panel.view.value;
  const count = panel.checkpoints.value.length;
  const onKey = (event: KeyboardEvent): void => {
    const next = nextPosition(event.key, TABS.indexOf(tab), TABS.length);
    const chosen = next === null ? undefined : TABS[next];
    if (chosen === undefined) return;
    event.preventDefault();
    panel.update({ tab: chosen });
    document.querySelector<HTMLElement>(`#tab-${chosen}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={strings.tabList} onKeyDown={onKey}>
      {TABS.map((own) => (
        <button
          type="button"
          role="tab"
          key={own}
          id={`tab-${own}`}
          aria-selected={own === tab}
          aria-controls="view"
          tabIndex={own === tab ? 0 : -1}
          onClick={() => panel.update({ tab: own })}
        >
          {strings.tabs[own]}
          {own === "checkpoints" && count > 0 ? <span class="count">{count}</span> : null}
        </button>
      ))}
    </div>
  );
}
