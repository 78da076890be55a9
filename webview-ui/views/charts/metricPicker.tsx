/** Chooses further metrics for small charts of their own. */

import { useId, useState } from "preact/hooks";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

const MAX_SHOWN = 120;
const text = strings.small;

export function MetricPicker({ dashboard }: { readonly dashboard: DashboardModel }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { pinnedMetrics } = dashboard.settings.value;
  return (
    <div class="picker">
      <div class="section-head">
        <h2 id="metrics-title">{text.title}</h2>
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
          <span>{text.choose}</span>
        </button>
        {pinnedMetrics.length > 0 ? (
          <span class="fact">{text.chosen(pinnedMetrics.length)}</span>
        ) : null}
      </div>
      <div id={id}>{isOpen ? <MetricList dashboard={dashboard} /> : null}</div>
    </div>
  );
}

function MetricList({ dashboard }: { readonly dashboard: DashboardModel }) {
  const [filter, setFilter] = useState("");
  // New names come with new numbers.
  const names = dashboard.data.columnsVersion.value < 0 ? [] : dashboard.data.columns.names;
  const matches = names.filter(matcher(filter));
  const { pinnedMetrics } = dashboard.settings.value;
  return (
    <div class="card picker-list">
      <div class="picker-filter">
        <input
          type="search"
          placeholder={text.filter}
          aria-label={text.filter}
          value={filter}
          onInput={({ currentTarget: { value } }) => setFilter(value)}
        />
        <span class="fact">{text.shown(matches.length, names.length)}</span>
      </div>
      <ul>
        {matches.slice(0, MAX_SHOWN).map((name) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={pinnedMetrics.includes(name)}
                onChange={() => dashboard.togglePinned(name)}
              />
              <span>{visibleLine(name)}</span>
            </label>
          </li>
        ))}
      </ul>
      {matches.length > MAX_SHOWN ? (
        <p class="note">{strings.more(matches.length - MAX_SHOWN)}</p>
      ) : null}
    </div>
  );
}

/** A regular expression, or plain text when it is none. */
export function matcher(filter: string): (text: string) => boolean {
  if (filter === "") return () => true;
  try {
    const pattern = new RegExp(filter, "i");
    return (name) => pattern.test(name);
  } catch {
    const plain = filter.toLowerCase();
    return (name) => name.toLowerCase().includes(plain);
  }
}
