/** Chooses further metrics for small charts of their own. */

import * as l10n from "@vscode/l10n";
import { useId, useState } from "preact/hooks";
import { plural } from "../../../src/shared/format.ts";
import { Button } from "../../controls/button.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

const text = strings.small;

interface PickerProps extends DashboardProps {
  /** Metrics that are drawn anyway. */
  readonly unasked: ReadonlySet<string>;
}

export function MetricPicker({ dashboard, unasked }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { pinnedMetrics } = dashboard.settings.value;
  return (
    <div class="picker">
      <div class="section-head wrap">
        <h2 id="metrics-title">{l10n.t("Metrics")}</h2>
        <Button
          class="quiet"
          icon={isOpen ? "chevronDown" : "chevronRight"}
          label={l10n.t("Choose metrics")}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        />
        {pinnedMetrics.length > 0 ? (
          <span class="fact">
            {plural(pinnedMetrics.length, "{0} metric added", "{0} metrics added")}
          </span>
        ) : null}
      </div>
      <div id={id}>{isOpen ? <MetricList dashboard={dashboard} unasked={unasked} /> : null}</div>
    </div>
  );
}

function MetricList({ dashboard, unasked }: PickerProps) {
  const [filter, setFilter] = useState("");
  // New names come with new numbers.
  const names = dashboard.data.columnsVersion.value < 0 ? [] : dashboard.data.columns.names;
  const matches = names.filter(matcher(filter));
  return (
    <div class="card picker-list">
      <div class="picker-filter row">
        <input
          type="search"
          placeholder={text.filter}
          aria-label={text.filter}
          value={filter}
          onInput={({ currentTarget: { value } }) => setFilter(value)}
        />
        <span class="fact">{text.shown(matches.length, names.length)}</span>
      </div>
      {[...byFamily(matches)].map(([family, members]) => (
        <details key={family} open={filter !== ""}>
          <summary>
            {visibleLine(family) || l10n.t("Others")} <span class="fact">{members.length}</span>
          </summary>
          <ul>
            {members.map((name) => (
              <Choice key={name} dashboard={dashboard} name={name} isUnasked={unasked.has(name)} />
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

interface ChoiceProps extends DashboardProps {
  readonly name: string;
  readonly isUnasked: boolean;
}

function Choice({ dashboard, name, isUnasked }: ChoiceProps) {
  const isChosen = dashboard.settings.value.pinnedMetrics.includes(name);
  const isFixed = isUnasked && !isChosen;
  return (
    <li>
      <label class="check row" title={isFixed ? l10n.t("Already has a chart") : undefined}>
        <input
          type="checkbox"
          checked={isChosen || isFixed}
          disabled={isFixed}
          onChange={() => dashboard.togglePinned(name)}
        />
        <span>{visibleLine(name)}</span>
      </label>
    </li>
  );
}

/** By what stands before the first slash; empty where there is none. */
export function byFamily(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const families = new Map<string, string[]>();
  for (const name of names) {
    const family = name.slice(0, Math.max(0, name.indexOf("/")));
    const members = families.get(family);
    if (members === undefined) families.set(family, [name]);
    else members.push(name);
  }
  return families;
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
