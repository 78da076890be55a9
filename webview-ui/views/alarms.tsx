/** The run's status in one sentence, and what needs attention: errors of this page and alarms of the run. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { AlarmView, RunCondition, RunView } from "../../src/shared/dashboardTypes.ts";
import { endedBadly } from "../../src/shared/hasEnded.ts";
import { nearestSave } from "../../src/shared/nearestSave.ts";
import type { RunEnding } from "../../src/shared/runFile.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { CodeText } from "../text/codeText.tsx";
import { UntrustedText } from "../text/untrustedText.tsx";
import { visibleLine } from "../text/visible.ts";

interface Alarm {
  readonly severity: AlarmView["severity"];
  readonly text: string;
  /** Details, shown once the list is open. */
  readonly more: string | null;
  readonly step: number | null;
  /** Error code for looking it up. */
  readonly code: string | null;
  readonly fix: { readonly id: string; readonly text: string } | null;
  /** Name of the alarm, if a checkpoint from before it exists. */
  readonly before: string | null;
  /** The alarm behind it; null for anything else. */
  readonly evidence: AlarmView | null;
}

interface SummaryProps extends DashboardProps {
  /** False in views about something else, which only show problems. */
  readonly hasSentence: boolean;
}

export function Summary({ dashboard, hasSentence }: SummaryProps) {
  const errors = dashboard.errors.value;
  const alarms = [...errors.map((text) => plain("critical", text)), ...ofRun(dashboard)];
  const sentence = hasSentence ? sentenceOf(dashboard) : null;
  if (sentence === null && alarms.length === 0) return null;
  const isReasonFirst = hasSentence && endedBadly(dashboard.data.run.value?.state ?? "unknown");
  return (
    <div
      class="summary row"
      data-severity={alarms[0]?.severity}
      data-reason-first={isReasonFirst && alarms.length > 0}
    >
      {sentence === null ? null : (
        <p class="sentence cut" title={sentence}>
          {sentence}
        </p>
      )}
      <Alarms dashboard={dashboard} alarms={alarms} />
    </div>
  );
}

/** Has a fallback text from the start, so that nothing below it moves. */
function sentenceOf({ data }: DashboardModel): string | null {
  const run = data.run.value;
  if (run === null || run.evaluatedModels !== null) return null;
  const isOver = run.state === "foreign" || endedBadly(run.state);
  return run.sentence ?? (isOver ? null : l10n.t("Too early to tell"));
}

interface AlarmsProps extends DashboardProps {
  readonly alarms: readonly Alarm[];
}

function Alarms({ dashboard, alarms }: AlarmsProps) {
  const [isOpen, setOpen] = useState(false);
  const errors = dashboard.errors.value;
  const first = alarms[0];
  if (first === undefined) return null;
  const shown = isOpen ? alarms : [first];
  const canOpen = alarms.length > 1 || first.more !== null || first.code !== null;
  return (
    <section class="alarms" aria-label={l10n.t("Alarms")} data-open={isOpen}>
      <ul>
        {shown.map((alarm, index) => (
          <AlarmRow key={index} dashboard={dashboard} alarm={alarm} isOpen={isOpen} />
        ))}
      </ul>
      <div class="alarm-buttons">
        {canOpen ? (
          <Button
            class="link"
            label={
              isOpen
                ? strings.showFewer
                : alarms.length > 1
                  ? `${strings.showAll} (${alarms.length})`
                  : l10n.t("Show more")
            }
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        ) : null}
        {errors.length > 0 ? (
          <IconButton
            icon="close"
            label={l10n.t("Dismiss")}
            onClick={() => dashboard.dismissErrors()}
          />
        ) : null}
      </div>
    </section>
  );
}

interface RowProps extends DashboardProps {
  readonly alarm: Alarm;
  readonly isOpen: boolean;
}

function AlarmRow({
  dashboard,
  alarm: { severity, text, more, step, code, fix, before, evidence },
  isOpen,
}: RowProps) {
  const begun = step === null ? "" : `${strings.chart.step(step + 1)}: `;
  return (
    <li data-severity={severity}>
      <Icon name={ICONS[severity]} />
      <div class="alarm-body">
        <span class="alarm-text" title={isOpen ? undefined : `${begun}${visibleLine(text)}`}>
          {begun === "" ? null : <b>{begun}</b>}
          <CodeText text={text} />
          {code === null ? null : <code class="alarm-code">{visibleLine(code)}</code>}
        </span>
        <span class="alarm-actions wrap">
          {evidence === null ? null : (
            <Button
              class="link"
              label={l10n.t("Show chart")}
              title={l10n.t("The metric that the alarm judges, around this step")}
              onClick={() => dashboard.showAlarmChart(evidence)}
            />
          )}
          {/* A single line has room for one button, and the chart also leads to the rollouts. */}
          {evidence?.isOfRollouts && isOpen ? (
            <Button
              class="link"
              label={strings.alarms.rollouts}
              title={l10n.t("Only rollouts of the step that triggered the alarm")}
              onClick={() => dashboard.showAlarmRollouts(evidence)}
            />
          ) : null}
          {fix === null ? null : !dashboard.host.can("applyAlarm") ? (
            <span class="fact">
              <UntrustedText text={fix.text} />
            </span>
          ) : (
            <button
              type="button"
              class="secondary"
              title={l10n.t("Make this change in the configuration and show it")}
              onClick={() => dashboard.host.command("applyAlarm", { name: fix.id })}
            >
              <UntrustedText text={fix.text} />
            </button>
          )}
          {before === null || !isOpen || !dashboard.host.can("resumeBeforeAlarm") ? null : (
            <Button
              class="secondary"
              label={l10n.t("Resume from before this alarm")}
              title={l10n.t(
                "Create a configuration with the suggested change that starts from the last checkpoint before the alarm",
              )}
              onClick={() => dashboard.host.command("resumeBeforeAlarm", { name: before })}
            />
          )}
        </span>
        {isOpen && more !== null ? (
          <span class="alarm-more">
            <CodeText text={more} />
          </span>
        ) : null}
      </div>
    </li>
  );
}

const ICONS = { info: "info", warning: "warning", critical: "error" } as const;

function plain(severity: Alarm["severity"], text: string, step: number | null = null): Alarm {
  return { severity, text, more: null, step, code: null, fix: null, before: null, evidence: null };
}

function ofEnding({ code, message }: RunEnding, state: RunCondition): Alarm {
  if (state !== "failed") return plain(code === "empty-steps" ? "warning" : "info", message);
  return { ...plain("critical", l10n.t("The run failed: {0}", message)), code };
}

function interruption({ isResumable }: RunView, hasButton: boolean): string {
  if (!isResumable)
    return l10n.t("The trainer stopped unexpectedly, and no state was saved to resume from.");
  return l10n.t(
    "The trainer stopped unexpectedly. {0} continues from the newest saved state.",
    hasButton ? l10n.t("Resume") : "tinker-rl resume FOLDER",
  );
}

/** The run's state, its alarms, and the warnings of the current attempt, newest first. */
function ofRun({ host, data: { run, checkpoints, events } }: DashboardModel): readonly Alarm[] {
  const known = run.value;
  if (known === null) return [];
  const own: Alarm[] = [];
  if (known.problem !== null) own.push(plain("critical", known.problem));
  if (known.ending !== null) own.push(ofEnding(known.ending, known.state));
  if (known.state === "interrupted") {
    own.push(plain("warning", interruption(known, host.can("resume"))));
  }
  const states = checkpoints.value.filter(({ statePath }) => statePath !== null);
  const firing = known.alarms.map((alarm): Alarm => {
    const { id, severity, step, seen, meaning, fix } = alarm;
    const remedy = fix === null ? null : { id, text: fix };
    const before = nearestSave(states, step) === null ? null : id;
    const texts = { severity, text: seen, more: meaning, step, code: null };
    return { ...texts, fix: remedy, before, evidence: alarm };
  });
  const reported = events.value
    .filter(
      ({ level, attempt, kind }) =>
        attempt === known.attempt && (level === "warn" || level === "error") && kind !== "alarm",
    )
    .map(({ level, message, step }) =>
      plain(level === "error" ? "critical" : "warning", message, step),
    );
  return [...own, ...firing, ...reported.reverse()];
}
