/** What needs the user's eye, in one line: faults of this page and warnings of the run. */

import { useState } from "preact/hooks";
import { Icon } from "../controls/icon.tsx";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import { HostileText } from "../text/hostileText.tsx";

interface Alarm {
  readonly isError: boolean;
  readonly text: string;
  readonly step: number | null;
}

export function Alarms({ panel }: { readonly panel: PanelModel }) {
  const [isOpen, setOpen] = useState(false);
  const errors = panel.errors.value;
  const alarms = [
    ...errors.map((text): Alarm => ({ isError: true, text, step: null })),
    ...ofRun(panel),
  ];
  const first = alarms[0];
  if (first === undefined) return null;
  const shown = isOpen ? alarms : [first];
  return (
    <section
      class="alarms"
      aria-label={strings.alarms.label}
      data-open={isOpen}
      data-error={alarms.some(({ isError }) => isError)}
    >
      <ul>
        {shown.map((alarm, index) => (
          <li key={index}>
            <Icon name={alarm.isError ? "error" : "warning"} />
            <span>
              {alarm.step === null ? null : <b>{`${strings.chart.step(alarm.step + 1)}: `}</b>}
              <HostileText text={alarm.text} />
            </span>
          </li>
        ))}
      </ul>
      <div class="alarm-buttons">
        {alarms.length > 1 ? (
          <button
            type="button"
            class="link"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? strings.showFewer : `${strings.showAll} (${alarms.length})`}
          </button>
        ) : null}
        {errors.length > 0 ? (
          <button
            type="button"
            class="quiet only-icon"
            aria-label={strings.dismiss}
            title={strings.dismiss}
            onClick={panel.dismissErrors}
          >
            <Icon name="close" />
          </button>
        ) : null}
      </div>
    </section>
  );
}

/** Newest first; those of the attempt that counts. */
function ofRun({ run, events }: PanelModel): readonly Alarm[] {
  const known = run.value;
  if (known === null) return [];
  const own: Alarm[] = [];
  if (known.problem !== null) own.push({ isError: true, text: known.problem, step: null });
  if (known.state === "interrupted") {
    own.push({
      isError: false,
      text: known.isResumable ? strings.alarms.interrupted : strings.alarms.lost,
      step: null,
    });
  }
  const told = events.value
    .filter(
      ({ level, attempt }) => attempt === known.attempt && (level === "warn" || level === "error"),
    )
    .map(
      ({ level, message, step }): Alarm => ({ isError: level === "error", text: message, step }),
    );
  return [...own, ...told.reverse()];
}
