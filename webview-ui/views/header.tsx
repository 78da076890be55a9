/** Which run is shown, how far it is, and what can be done with it. */

import type { RunState, RunView } from "../../src/shared/dashboardTypes.ts";
import { formatCost, formatCount, formatDuration } from "../../src/shared/format.ts";
import { Icon, type IconName } from "../controls/icon.tsx";
import { Menu, type MenuItem } from "../controls/menu.tsx";
import { Toolbar } from "../controls/toolbar.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import type { Host } from "../model/host.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

const text = strings.header;

interface HeaderProps {
  readonly dashboard: DashboardModel;
  readonly openHelp: () => void;
}

const STATE_ICONS: Readonly<Record<RunState, IconName>> = {
  preparing: "debugStart",
  running: "debugStart",
  finishing: "debugStart",
  pausing: "debugPause",
  paused: "debugPause",
  done: "check",
  failed: "error",
  stopped: "debugStop",
  interrupted: "warning",
  foreign: "question",
  unknown: "question",
};

export function Header({ dashboard, openHelp }: HeaderProps) {
  const run = dashboard.data.run.value;
  if (run === null) return null;
  return (
    <header class="header">
      <h1 class="visually-hidden">{strings.title}</h1>
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
  const run = dashboard.data.run.value;
  const runs = dashboard.data.runs.value;
  if (run === null) return null;
  if (runs.length < 2) return <strong class="run-name">{visibleLine(run.name)}</strong>;
  return (
    <label class="run-picker">
      <span class="visually-hidden">{text.run}</span>
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
  const run = dashboard.data.run.value;
  if (run === null || run.attempt < 2) return null;
  const { shownAttempt } = dashboard.view.value;
  if (run.supersededAttempts.length === 0) {
    return <span class="fact">{text.attemptNow(run.attempt)}</span>;
  }
  return (
    <label class="attempt-picker">
      <span class="visually-hidden">{text.attempt}</span>
      <select
        value={shownAttempt === null ? "" : String(shownAttempt)}
        onChange={({ currentTarget: { value } }) =>
          dashboard.update({ shownAttempt: value === "" ? null : Number(value) })
        }
      >
        <option value="">{text.attemptNow(run.attempt)}</option>
        {run.supersededAttempts.map((attempt) => (
          <option key={attempt} value={attempt}>
            {`${text.attemptNow(run.attempt)}, ${text.attemptBefore(attempt)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Progress({ dashboard }: { readonly dashboard: DashboardModel }) {
  const run = dashboard.data.run.value;
  // The facts below come from the columns.
  if (run === null || dashboard.data.columnsVersion.value < 0) return null;
  if (run.evaluatedModels !== null) {
    return <EvaluationProgress dashboard={dashboard} run={run} models={run.evaluatedModels} />;
  }
  const { completedSteps, laterCostUsd, totalSteps } = run;
  const last = dashboard.data.columns.rows - 1;
  const eta = dashboard.data.columns.at("progress/eta_s", last);
  const { columns } = dashboard.data;
  const tokens = columns.at("tokens/cumulative/sampled", last);
  const stepsUsd = columns.at("cost/cumulative_usd", last);
  const evaluationUsd = columns.at("cost/evaluation_usd", last) ?? 0;
  const seconds = dashboard.data.columns
    .values("time/total_s")
    .reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0);
  const facts = [
    run.evaluated === null ? null : text.evaluating(run.evaluated.done, run.evaluated.total),
    run.state === "running" && eta !== null && eta > 0 ? text.left(formatDuration(eta)) : null,
    seconds > 0 ? text.elapsed(formatDuration(seconds)) : null,
    tokens === null ? null : text.tokens(formatCount(tokens)),
    stepsUsd === null ? null : formatCost(stepsUsd + evaluationUsd + (laterCostUsd ?? 0)),
  ].filter((fact) => fact !== null);
  return (
    <div class="header-progress">
      <span class="steps">{text.step(completedSteps, totalSteps)}</span>
      {totalSteps === null ? null : (
        <progress aria-label={text.progress} value={completedSteps} max={Math.max(1, totalSteps)} />
      )}
      <Facts facts={facts} />
    </div>
  );
}

/** Breaks between facts only. Has its room also while there is none. */
function Facts({ facts }: { readonly facts: readonly string[] }) {
  const line = facts.map((fact) => fact.replaceAll(" ", "\u00a0")).join("\u00a0· ");
  return (
    <span class="fact" title={line}>
      {line}
    </span>
  );
}

function EvaluationProgress({
  dashboard,
  run: { evaluated, laterCostUsd },
  models,
}: {
  readonly dashboard: DashboardModel;
  readonly run: RunView;
  readonly models: number;
}) {
  const done = dashboard.data.evaluations.value.length;
  const facts = [
    evaluated === null ? null : text.evaluating(evaluated.done, evaluated.total),
    (laterCostUsd ?? 0) === 0 ? null : formatCost(laterCostUsd ?? 0),
  ].filter((fact) => fact !== null);
  return (
    <div class="header-progress">
      <span class="steps">{text.evaluation(done, models)}</span>
      <progress aria-label={text.progress} value={done} max={Math.max(1, models)} />
      <Facts facts={facts} />
    </div>
  );
}

function Actions({ dashboard, openHelp }: HeaderProps) {
  const run = dashboard.data.run.value;
  if (run === null) return null;
  const { host } = dashboard;
  return (
    <Toolbar label={text.actions}>
      {run.isControllable ? (
        <ControlActions host={host} state={run.state} isTraining={run.evaluatedModels === null} />
      ) : null}
      {run.isResumable ? (
        <Action
          icon="debugRerun"
          label={text.resume}
          hint={text.resumeHint}
          run={() => host.command("resume")}
        />
      ) : null}
      <Menu label={text.more} icon="ellipsis" items={moreItems(run, host, openHelp)} />
    </Toolbar>
  );
}

interface ControlProps {
  readonly host: Host;
  readonly state: RunState;
  readonly isTraining: boolean;
}

function ControlActions({ host, state, isTraining }: ControlProps) {
  const isPaused = state === "paused" || state === "pausing";
  if (!isTraining) {
    return <Action icon="debugStop" label={text.stop} run={() => host.command("stop")} />;
  }
  return (
    <>
      {isPaused ? (
        <Action icon="debugContinue" label={text.continue} run={() => host.command("continue")} />
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
  );
}

function moreItems(run: RunView, host: Host, openHelp: () => void): readonly MenuItem[] {
  const control =
    run.evaluatedModels !== null
      ? []
      : [
          { label: text.changeSettings, run: () => host.command("change-settings") },
          { label: text.stopNow, run: () => host.command("stopNow") },
        ];
  return [
    ...(run.isControllable ? control : []),
    { label: text.openFolder, run: () => host.command("openRunFolder") },
    { label: text.openLog, run: () => host.command("openLog") },
    { label: text.help, run: openHelp },
  ];
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
