/** Tabs over a panel: one stop of the Tab key, within which the arrow keys move. */

import type { ComponentChildren } from "preact";
import { nextPosition } from "./toolbar.tsx";

interface TabsProps<Tab extends string> {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: Tab;
  /** The ids of the tabs begin with it. */
  readonly prefix: string;
  /** Id of the panel. */
  readonly panel: string;
  readonly name: (tab: Tab) => ComponentChildren;
  readonly choose: (tab: Tab) => void;
}

export function Tabs<Tab extends string>(props: TabsProps<Tab>) {
  const { label, tabs, chosen, prefix, panel, name, choose } = props;
  const onKey = (event: KeyboardEvent): void => {
    const next = nextPosition(event.key, tabs.indexOf(chosen), tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    choose(tab);
    document.querySelector<HTMLElement>(`#${prefix}-${tab}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKey}>
      {tabs.map((tab) => (
        <button
          type="button"
          role="tab"
          key={tab}
          id={`${prefix}-${tab}`}
          aria-selected={tab === chosen}
          aria-controls={panel}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => choose(tab)}
        >
          {name(tab)}
        </button>
      ))}
    </div>
  );
}
