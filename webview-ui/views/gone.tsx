/** In place of a run whose folder was deleted or moved: where it was, and what can be shown instead. */

import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

const text = strings.gone;

export function Gone({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { connection, host } = dashboard;
  const gone = connection.gone.value;
  if (gone === null) return null;
  return (
    <main class="message">
      <h1>{text.title(visibleLine(gone.folder))}</h1>
      <p>{text.hint}</p>
      <div class="message-actions">
        <button type="button" class="secondary" onClick={() => host.command("importRun")}>
          {text.open}
        </button>
        {gone.runs.length === 0 ? null : (
          <select
            aria-label={text.other}
            value=""
            onChange={({ currentTarget: { value } }) => host.selectRun(value)}
          >
            <option value="" disabled>
              {text.other}
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
