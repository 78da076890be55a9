/** The run's events, newest first. */

import * as l10n from "@vscode/l10n";
import type { EventView } from "../../src/shared/dashboardTypes.ts";
import { shownStep } from "../../src/shared/eventStep.ts";
import { formatCount } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { TableHead } from "../controls/tableHead.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { UntrustedText } from "../text/untrustedText.tsx";

const LEVELS: Readonly<Record<EventView["level"], string>> = {
  debug: l10n.t("debug"),
  info: l10n.t("info"),
  warn: l10n.t("warning"),
  error: l10n.t("error"),
};

export function Log({ dashboard }: DashboardProps) {
  const { data, host } = dashboard;
  const scrolled = useScroll(dashboard, "log");
  const events = data.events.value.toReversed();
  return (
    <div class="page stack" ref={scrolled}>
      {host.can("openLog") ? (
        <div class="wrap">
          <Button
            class="secondary"
            label={l10n.t("Open run log")}
            title={l10n.t("The whole log in an editor (L)")}
            onClick={() => host.command("openLog")}
          />
        </div>
      ) : null}
      {events.length === 0 ? (
        <p class="message">{l10n.t("Nothing reported yet.")}</p>
      ) : (
        <div class="card flush">
          <ScrollRegion label={strings.runParts.log}>
            <table class="plain log-table">
              <TableHead
                heads={[
                  [l10n.t("Time")],
                  [l10n.t("Step"), "number"],
                  [l10n.t("Level")],
                  [l10n.t("Message")],
                ]}
              />
              <tbody>
                {events.map((event, index) => (
                  <Row key={index} event={event} />
                ))}
              </tbody>
            </table>
          </ScrollRegion>
        </div>
      )}
    </div>
  );
}

function Row({ event }: { readonly event: EventView }) {
  const { level, message } = event;
  const time = new Date(event.timeMs);
  const step = shownStep(event);
  return (
    <tr data-level={level}>
      <td title={time.toLocaleString()}>{time.toLocaleTimeString()}</td>
      <td class="number">{step === null ? strings.none : formatCount(step)}</td>
      <td>{LEVELS[level]}</td>
      <td class="log-message">
        <UntrustedText text={message} />
      </td>
    </tr>
  );
}
