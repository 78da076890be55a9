/** Where a step's time went: the critical path, the stalls, and a bar for each rollout. */

import * as l10n from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { formatPercent, plural } from "../../../src/shared/format.ts";
import type { Stall, Timeline as StepTimeline } from "../../../src/shared/timeline.ts";
import { Button } from "../../controls/button.tsx";
import { Choice } from "../../controls/choice.tsx";
import { DataTable } from "../../controls/dataTable.tsx";
import { StepNavigator } from "../../controls/stepNavigator.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { timelineStrings as text } from "../../strings/timeline.ts";
import { UntrustedText } from "../../text/untrustedText.tsx";
import { TimelineBars } from "./timelineBars.tsx";
import { legendOf, ORDERS, type Order, ordered, timelineTable, totals } from "./timelineModel.ts";
import { type ShownTimeline, useTimeline } from "./useTimeline.ts";

/** Size of the legend's swatches in pixels. */
const SIZE = 12;

export function Timeline({ dashboard }: DashboardProps) {
  const timeline = useTimeline(dashboard);
  const state = dashboard.data.run.value?.state ?? "unknown";
  if (dashboard.selection.chosen.value === null) {
    const { noSteps, noStepsYet } = strings.trajectories;
    return <p class="message">{noSteps[state] ?? noStepsYet}</p>;
  }
  return (
    <div class="timeline stack">
      <KindPatterns />
      {timeline === null || timeline.rows.length === 0 ? (
        <>
          <div class="timeline-head wrap">
            <StepNavigator dashboard={dashboard} />
          </div>
          <p class="message" aria-busy={timeline === null}>
            {timeline === null
              ? l10n.t("Reading the times of the rollouts…")
              : l10n.t("No rollout of this step has ended yet.")}
          </p>
        </>
      ) : (
        <Loaded dashboard={dashboard} timeline={timeline} />
      )}
    </div>
  );
}

function Loaded({ dashboard, timeline }: DashboardProps & { readonly timeline: ShownTimeline }) {
  const [order, setOrder] = useState<Order>("path");
  const [isTable, setTable] = useState(false);
  const rows = useMemo(() => ordered(timeline, order), [timeline, order]);
  const table = useMemo(
    () => (isTable ? timelineTable(timeline, rows) : null),
    [timeline, rows, isTable],
  );
  return (
    <>
      <div class="timeline-head wrap">
        <StepNavigator dashboard={dashboard} />
        <span class="timeline-controls row">
          <Choice
            label={l10n.t("Order")}
            value={order}
            values={ORDERS}
            name={(own) => text.orders[own]}
            choose={setOrder}
          />
          <Button
            class="link"
            label={isTable ? l10n.t("View as bars") : l10n.t("View as table")}
            onClick={() => setTable(!isTable)}
          />
        </span>
      </div>
      <div class="timeline-facts">
        <CriticalPath timeline={timeline} />
        <Stalls dashboard={dashboard} timeline={timeline} />
        {timeline.omitted > 0 ? (
          <p class="fact">
            {plural(timeline.omitted, "{0} rollout is not shown.", "{0} rollouts are not shown.")}
          </p>
        ) : null}
      </div>
      {table === null ? (
        <TimelineBars dashboard={dashboard} timeline={timeline} order={rows} />
      ) : (
        <div class="timeline-table pane">
          <DataTable table={table} caption={l10n.t("Seconds of each rollout")} firstPage={0} />
        </div>
      )}
    </>
  );
}

function CriticalPath({ timeline }: { readonly timeline: StepTimeline }) {
  const { path, rows, source } = timeline;
  const shares = totals(path);
  const all = shares.reduce((sum, { ms }) => sum + ms, 0);
  const title =
    source === "training"
      ? l10n.t("Where the step's {0} went", text.duration(all))
      : l10n.t("Where the evaluation's {0} went", text.duration(all));
  return (
    <section aria-label={path.length === 0 ? l10n.t("Kinds of time") : title}>
      {path.length === 0 ? (
        <p>
          {plural(
            rows.length,
            "The step is in progress: {0} rollout has ended.",
            "The step is in progress: {0} rollouts have ended.",
          )}
        </p>
      ) : (
        <>
          <h2
            title={l10n.t(
              "The critical path: what the end of the step waited for, in order. Making anything else faster does not shorten the step.",
            )}
          >
            {title}
          </h2>
          <div class="timeline-shares" aria-hidden="true">
            {shares.map(({ kind, ms }) => (
              <span key={kind} data-kind={kind} style={{ flexGrow: ms / all }} />
            ))}
          </div>
        </>
      )}
      <ul class="timeline-legend">
        {legendOf(timeline).map(({ kind, ms }) => (
          <li key={kind}>
            <svg class="timeline-swatch" width={SIZE} height={SIZE} aria-hidden="true">
              <rect class="timeline-span" data-kind={kind} width={SIZE} height={SIZE} />
            </svg>
            {text.kinds[kind]}
            {ms === null ? null : (
              <>
                {" "}
                <b>{text.duration(ms)}</b> <span class="fact">{formatPercent(ms / all)}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Stalls({ dashboard, timeline }: DashboardProps & { readonly timeline: StepTimeline }) {
  const { stalls, path, rows } = timeline;
  if (stalls.length === 0) return path.length === 0 ? null : <NoStalls timeline={timeline} />;
  const rowOf = (stall: Stall) => (stall.kind === "slowest" ? rows[stall.row] : undefined);
  return (
    <section aria-label={l10n.t("Stalls")}>
      <ul class="timeline-stalls">
        {stalls.map((stall, index) => {
          const row = rowOf(stall);
          return (
            <li key={index}>
              <UntrustedText text={text.stall(stall, row)} />
              {row === undefined ? null : (
                <Button
                  class="link"
                  label={l10n.t("Show rollout")}
                  onClick={() => dashboard.openRollouts(timeline, row)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Without stalls, still names what took most of the step's time. */
function NoStalls({ timeline: { path } }: { readonly timeline: StepTimeline }) {
  const shares = totals(path);
  const all = shares.reduce((sum, { ms }) => sum + ms, 0);
  const most = shares.find(({ ms }) => ms > all / 2);
  return (
    <p class="fact">
      {l10n.t("Nothing unusual: no wait and no rollout took much longer than the others.")}
      {most === undefined
        ? null
        : ` ${l10n.t("Most of the step's time went to: {0} ({1}).", text.kinds[most.kind], formatPercent(most.ms / all))}`}
    </p>
  );
}

const HATCHED = ["queue", "retry", "place", "prepare"] as const;

/** SVG patterns that the bars are filled with. */
function KindPatterns() {
  return (
    <svg width="0" height="0" class="timeline-patterns" aria-hidden="true">
      <defs>
        {HATCHED.map((kind) => (
          <pattern
            key={kind}
            id={`timeline-${kind}`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform={`rotate(${kind === "retry" ? -45 : 45})`}
          >
            <rect class="timeline-hatch" data-kind={kind} width="2.5" height="5" />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}
