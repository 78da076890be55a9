/** The checkpoints of the run and their actions. */

import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import type { CheckpointView } from "../../src/shared/dashboardTypes.ts";
import { formatCount, formatReward } from "../../src/shared/format.ts";
import { hasEnded } from "../../src/shared/hasEnded.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import { TableHead } from "../controls/tableHead.tsx";
import { useScroll } from "../controls/useScroll.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { relativeTime } from "../text/relativeTime.ts";
import { visibleLine } from "../text/visible.ts";

const text = strings.checkpoints;
const DAY_MS = 24 * 3600 * 1000;
const CLOCK_MS = 30_000;

export function Checkpoints({ dashboard }: DashboardProps) {
  const checkpoints = dashboard.data.checkpoints.value;
  const nowMs = useNow();
  const scrolled = useScroll(dashboard, "checkpoints");
  if (checkpoints.length === 0) {
    const run = dashboard.data.run.value;
    const isOver = hasEnded(run?.state ?? "unknown");
    return (
      <div class="message">
        <h2>{isOver ? l10n.t("No checkpoints") : l10n.t("No checkpoints yet")}</h2>
        <p>
          {isOver
            ? l10n.t(
                "This run saved no weights. Set save_every in the configuration to save some automatically.",
              )
            : l10n.t(
                "Saved weights of this run will appear here. Set save_every in the configuration to save some automatically.",
              )}
        </p>
        {run?.isControllable === true ? (
          <Button
            class="secondary"
            label={l10n.t("Save a checkpoint now")}
            onClick={() => dashboard.host.command("saveNow")}
          />
        ) : null}
      </div>
    );
  }
  return (
    <div class="page stack" ref={scrolled}>
      <Expiring checkpoints={checkpoints} nowMs={nowMs} />
      <div class="card flush">
        <ScrollRegion label={text.caption}>
          <table class="plain">
            <caption class="visually-hidden">{text.caption}</caption>
            <TableHead
              heads={[
                [l10n.t("Name")],
                [l10n.t("After step"), "number"],
                [l10n.t("Kind")],
                [l10n.t("Reward"), "number"],
                [l10n.t("Saved")],
                [l10n.t("Expires")],
                [l10n.t("Contents")],
                [text.actions, "hidden"],
              ]}
            />
            <tbody>
              {checkpoints.map((checkpoint) => (
                <Row
                  key={checkpoint.name}
                  dashboard={dashboard}
                  checkpoint={checkpoint}
                  nowMs={nowMs}
                />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </div>
    </div>
  );
}

/** Warns about checkpoints that expire within a day, except for rolling ones, which are replaced anyway. */
function Expiring({
  checkpoints,
  nowMs,
}: {
  readonly checkpoints: readonly CheckpointView[];
  readonly nowMs: number;
}) {
  const [next, ...others] = checkpoints
    .map(({ name, kind, expiresAt }) => {
      const leftMs = expiresAt === null ? Number.NaN : Date.parse(expiresAt) - nowMs;
      return { name: visibleLine(name), kind, expiresAt, leftMs };
    })
    .filter(({ kind, leftMs }) => kind !== "rolling" && leftMs > 0 && leftMs < DAY_MS)
    .sort((a, b) => a.leftMs - b.leftMs);
  if (next === undefined) return null;
  const left = expiry(next.expiresAt, nowMs);
  return (
    <p class="banner row">
      <Icon name="warning" />
      {others.length === 0
        ? l10n.t("{0} expires {1}. To keep it, save again or extend its expiry.", next.name, left)
        : l10n.t(
            "{0} expires {1}, and {2} more within a day. To keep them, save again or extend their expiry.",
            next.name,
            left,
            formatCount(others.length),
          )}
    </p>
  );
}

interface RowProps extends DashboardProps {
  readonly checkpoint: CheckpointView;
  readonly nowMs: number;
}

function Row({ dashboard, checkpoint, nowMs }: RowProps) {
  const { name, step, kind, reward, best, createdAt, expiresAt, statePath, samplerPath } =
    checkpoint;
  const { host } = dashboard;
  const shownName = visibleLine(name);
  const copy = (which: "state" | "sampler"): void => {
    host.command("copyCheckpointPath", { name, which });
    dashboard.announce(l10n.t("{0}: copied.", shownName));
  };
  const items = [
    ...(statePath === null ? [] : [{ label: text.copyState, run: () => copy("state") }]),
    ...(samplerPath === null ? [] : [{ label: text.copySampler, run: () => copy("sampler") }]),
    ...(statePath === null
      ? []
      : [
          ...host.menuItem(l10n.t("Start new run from it…"), "startFromCheckpoint", { name }),
          ...host.menuItem(l10n.t("Branch from it…"), "branchFromCheckpoint", { name }),
        ]),
    ...(samplerPath === null
      ? []
      : [
          ...host.menuItem(l10n.t("Evaluate…"), "evaluateCheckpoint", { name }),
          ...host.menuItem(l10n.t("Chat with it…"), "chatWithCheckpoint", { name }),
          ...host.menuItem(l10n.t("Download weights…"), "downloadCheckpoint", { name }),
        ]),
    ...host.menuItem(l10n.t("Keep…"), "keepCheckpoint", { name }),
    ...host.menuItem(l10n.t("Delete…"), "deleteCheckpoint", { name }),
  ];
  const holds = [
    ...(statePath === null ? [] : [l10n.t("state")]),
    ...(samplerPath === null ? [] : [l10n.t("sampler")]),
  ];
  return (
    <tr>
      <th scope="row" class="name" title={visibleLine(statePath ?? samplerPath ?? "")}>
        {shownName}
      </th>
      <td class="number">{formatCount(step)}</td>
      <td title={best === null ? undefined : l10n.t("best by {0}", visibleLine(best.metric))}>
        {visibleLine(kind)}
        {best === null ? null : <b>{` ★ ${formatReward(best.value)}`}</b>}
      </td>
      <td class="number">{formatReward(reward)}</td>
      <td title={createdAt}>{ago(createdAt, nowMs)}</td>
      <td title={expiresAt ?? undefined}>{expiry(expiresAt, nowMs)}</td>
      <td>{holds.join(" + ")}</td>
      <td class="row-actions">
        {statePath === null && samplerPath === null ? null : (
          <IconButton
            icon="copy"
            label={`${text.copyState}: ${shownName}`}
            hint={statePath === null ? text.copySampler : text.copyState}
            onClick={() => copy(statePath === null ? "sampler" : "state")}
          />
        )}
        {items.length === 0 ? null : (
          <Menu label={l10n.t("Actions for {0}", shownName)} icon="ellipsis" items={items} />
        )}
      </td>
    </tr>
  );
}

function ago(iso: string, nowMs: number): string {
  const age = nowMs - Date.parse(iso);
  if (Number.isNaN(age)) return visibleLine(iso);
  return age > DAY_MS
    ? new Date(iso).toLocaleString()
    : (relativeTime(Math.min(0, -age), document.documentElement.lang) ?? l10n.t("just now"));
}

function expiry(iso: string | null, nowMs: number): string {
  if (iso === null) return l10n.t("never");
  const left = Date.parse(iso) - nowMs;
  if (Number.isNaN(left)) return visibleLine(iso);
  if (left <= 0) return l10n.t("expired");
  return relativeTime(left, document.documentElement.lang) ?? l10n.t("in less than a minute");
}

/** Ticks while the view is visible; the page is unloaded when the dashboard is hidden. */
function useNow(): number {
  const [nowMs, set] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
