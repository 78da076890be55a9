/** Which run is shown, how far it is, and what can be done with it. */

import type { RunState } from "../../src/shared/dashboardTypes.ts";
import { formatCount, formatDuration } from "../../src/shared/format.ts";
import { Icon, type IconName } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import { Toolbar } from "../controls/toolbar.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

interface HeaderProps {
  readonly dashboard: DashboardModel;
  readonly openHelp: () => void;
}

const STATE_ICONS: Readonly<Record<RunState, IconName>> = {
  preparing: "debugStart",
  probing: "debugStart",
  running: "debugStart",
  finishing: "debugStart",
  pausing: "debugPause",
  paused: "debugPause",
  done: "check",
  failed: "error",
  stopped: "debugStop",
  interrupted: "warning",
  unknown: "question",
};

export function Header({ dashboard, openHelp }: HeaderProps) {
  const run = dashboard.run.value;
  if (run === null) return null;
  return (
    <header class="header">
      <h1 class="spoken">{strings.title}</h1>
      <div class="header-run">
        <RunPicker dashboard={dashboard} />
        <span class="state" data-state={run.state}>
          <Icon name={STATE_ICONS[run.state]} />
          {strings.states[run.state]}
        </span>
        <AttemptPicker dashboard={dashboard} />
      </div>
      <Progress dashboard={dashboard} />
      <Actions dashboard={dashboard} openHelp={openHelp} />
    </header>
  );
}

function RunPicker({ dashboard }: { readonly dashboard: DashboardModel }) {
  const run = dashboard.run.value;
  const runs = dashboard.runs.value;
  if (run === null) return null;
  if (runs.length < 2) return <strong class="run-name">{visibleLine(run.name)}</strong>;
  return (
    <label class="run-picker">
      <span class="spoken">{strings.header.run}</span>
      <select
        value={run.id}
        onChange={(event) => dashboard.host.selectRun(event.currentTarget.value)}
      >
        {runs.map(({ id, name, state }) => (
          <option key={id} value={id}>
            {`${visibleLine(name)} (${strings.states[state]})`}
          </option>
        ))}
      </select>
    </label>
  );
}

function AttemptPicker({ dashboard }: { readonly dashboard: DashboardModel }) {
  const run = dashboard.run.value;
  if (run === null || run.attempt < 2) return null;
  const { shownAttempt } = dashboard.view.value;
  if (run.supersededAttempts.length === 0) {
    return <span class="fact">{strings.header.attemptNow(run.attempt)}</span>;
  }
  return (
    <label class="attempt-picker">
      <span class="spoken">{strings.header.attempt}</span>
      <select
        value={shownAttempt === null ? "" : String(shownAttempt)}
        onChange={({ currentTarget: { value } }) =>
          dashboard.update({ shownAttempt: value === "" ? null : Number(value) })
        }
      >
        <option value="">{strings.header.attemptNow(run.attempt)}</option>
        {run.supersededAttempts.map((attempt) => (
          <option key={attempt} value={attempt}>
            {`${strings.header.attemptNow(run.attempt)}, ${strings.header.attemptBefore(attempt)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Progress({ dashboard }: { readonly dashboard: DashboardModel }) {
  const run = dashboard.run.value;
  // The facts below come from the columns.
  if (run === null || dashboard.columnsVersion.value < 0) return null;
  const { completedSteps, totalSteps } = run;
  const last = dashboard.columns.rows - 1;
  const eta = dashboard.columns.at("progress/eta_s", last);
  const tokens = dashboard.columns.at("tokens/sampled_total", last);
  const seconds = dashboard.columns
    .values("time/total_s")
    .reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0);
  const isGoing = ["running", "pausing", "finishing"].includes(run.state);
  const facts = [
    isGoing && eta !== null && eta > 0 ? strings.header.left(formatDuration(eta)) : null,
    seconds > 0 ? strings.header.elapsed(formatDuration(seconds)) : null,
    tokens === null ? null : strings.header.tokens(formatCount(tokens)),
  ].filter((text) => text !== null);
  return (
    <div class="header-progress">
      <span class="steps">{strings.header.step(completedSteps, totalSteps)}</span>
      {totalSteps === null ? null : (
        <progress
          aria-label={strings.header.progress}
          value={completedSteps}
          max={Math.max(1, totalSteps)}
        />
      )}
      <span class="fact">{facts.join("  ·  ")}</span>
    </div>
  );
}

function Actions({ dashboard, openHelp }: HeaderProps) {
  const run = dashboard.run.value;
  if (run === null) return null;
  const { host } = dashboard;
  const text = strings.header;
  const isPaused = run.state === "paused" || run.state === "pausing";
  const items = [
    ...(run.isControllable
      ? [
          { label: text.retune, run: () => host.command("retune") },
          { label: text.stopNow, run: () => host.command("stopNow") },
        ]
      : []),
    { label: text.openFolder, run: () => host.command("openRunFolder") },
    { label: text.openLog, run: () => host.command("openLog") },
    { label: text.help, run: openHelp },
  ];
  return (
    <Toolbar label={text.actions}>
      {run.isControllable ? (
        <>
          {isPaused ? (
            <Action
              icon="debugContinue"
              label={text.continue}
              run={() => host.command("continue")}
            />
          ) : (
            <Action
              icon="debugPause"
              label={text.pause}
              hint={text.pauseHint}
              run={() => host.command("pause")}
            />
          )}
          <Action
            icon="save"
            label={text.save}
            hint={text.saveHint}
            run={() => host.command("saveNow")}
          />
          <Action
            icon="debugStop"
            label={text.stop}
            hint={text.stopHint}
            run={() => host.command("stop")}
          />
        </>
      ) : null}
      {run.isResumable ? (
        <Action
          icon="debugRerun"
          label={text.resume}
          hint={text.resumeHint}
          run={() => host.command("resume")}
        />
      ) : null}
      <Menu label={text.more} icon="ellipsis" items={items} />
    </Toolbar>
  );
}

interface ActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly run: () => void;
}

function Action({ icon, label, hint, run }: ActionProps) {
  return (
    <button type="button" class="secondary" title={hint} onClick={run}>
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  );
}
