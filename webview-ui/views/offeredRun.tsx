/** A run that began while another one is read, such as the next one of a sweep. It is gone once the run is shown or has ended. */

import { hasEnded } from "../../src/shared/hasEnded.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

const text = strings.header;

export function OfferedRun({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { offered, data, host } = dashboard;
  const shown = data.run.value?.id;
  const run = data.runs.value.find(({ id }) => id === offered.value);
  const isUnderWay = run !== undefined && run.id !== shown && !hasEnded(run.state);
  return (
    <span class="offered" role="status">
      {isUnderWay ? (
        <button
          type="button"
          class="link"
          title={text.offeredHint}
          onClick={() => {
            host.selectRun(run.id);
            // The button goes away, and the keys would have no place.
            document.querySelector<HTMLElement>(".run-picker select")?.focus();
          }}
        >
          {text.offered(visibleLine(run.name))}
        </button>
      ) : null}
    </span>
  );
}
