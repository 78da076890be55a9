/** Which run is shown, its progress, and its actions. */

import * as l10n from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import type { DashboardCommand } from "../../src/shared/dashboardMessages.ts";
import type { RunCondition, RunListing, RunView } from "../../src/shared/dashboardTypes.ts";
import { formatCost, formatCount, formatDuration, plural } from "../../src/shared/format.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { Select } from "../controls/choice.tsx";
import { Icon, type IconName } from "../controls/icon.tsx";
import { Menu, type MenuItem } from "../controls/menu.tsx";
import { Toolbar } from "../controls/toolbar.tsx";
import { useMedia } from "../controls/useMedia.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import type { Host } from "../model/host.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";

const text = strings.header;

interface HeaderProps extends DashboardProps {
  readonly openHelp: () => void;
}

const STATE_ICONS: Readonly<Record<RunCondition, IconName>> = {
  preparing: "debugStart",
  running: "debugStart",
  finishing: "debugStart",
  pausing: "debugPause",
  paused: "debugPause",
  done: "check",
  failed: "error",
  stopped: "debugStop",
  dropped: "debugStop",
  interrupted: "warning",
  foreign: "question",
  unknown: "question",
};

export function Header({ dashboard, openHelp }: HeaderProps) {
  const run = dashboard.data.run.value;
  if (run === null) return null;
  const { runsPage } = dashboard.host;
  return (
    <header class="header">
      <h1 class="visually-hidden">{l10n.t("Tinker RL dashboard")}</h1>
      <div class="header-run row">
        {runsPage === null ? null : <a href={runsPage}>{l10n.t("All runs")}</a>}
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

function RunPicker({ dashboard }: DashboardProps) {
  const run = dashboard.data.run.value;
  const runs = dashboard.data.runs.value;
  if (run === null) return null;
  if (runs.length < 2) return <strong class="run-name cut">{visibleLine(run.name)}</strong>;
  return (
    <label class="run-picker">
      <span class="visually-hidden">{l10n.t("Run")}</span>
      <Select
        value={run.id}
        values={runs.map(({ id }) => id)}
        name={(id) => nameOf(runs.find((own) => own.id === id) ?? run, id === run.id)}
        choose={(id) => dashboard.host.selectRun(id)}
      />
    </label>
  );
}

function nameOf({ name, state }: RunListing, isShown: boolean): string {
  return isShown ? visibleLine(name) : `${visibleLine(name)} (${strings.states[state]})`;
}

function AttemptPicker({ dashboard }: DashboardProps) {
  const run = dashboard.data.run.value;
  if (run === null || run.attempt < 2) return null;
  const { shownAttempt } = dashboard.view.value;
  if (run.supersededAttempts.length === 0) {
    return <span class="fact">{text.attemptNow(run.attempt)}</span>;
  }
  return (
    <label class="attempt-picker">
      <span class="visually-hidden">{l10n.t("Attempt")}</span>
      <select
        value={shownAttempt === null ? "" : String(shownAttempt)}
        onChange={({ currentTarget: { value } }) =>
          dashboard.update({ shownAttempt: value === "" ? null : Number(value) })
        }
      >
        <option value="">{text.attemptNow(run.attempt)}</option>
        {run.supersededAttempts.map((attempt) => (
          <option key={attempt} value={attempt}>
            {`${text.attemptNow(run.attempt)}, ${l10n.t("with steps repeated after attempt {0}", attempt)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function Progress({ dashboard }: DashboardProps) {
  const run = dashboard.data.run.value;
  // Subscribes to the columns, which the facts below are computed from.
  if (run === null || run.examples === "read") return null;
  if (dashboard.data.columnsVersion.value < 0) return null;
  if (run.evaluatedModels !== null) {
    return <EvaluationProgress dashboard={dashboard} run={run} models={run.evaluatedModels} />;
  }
  const { completedSteps, totalSteps } = run;
  const { columns } = dashboard.data;
  const last = columns.rows - 1;
  const eta = columns.at("progress/eta_s", last);
  const { tokens, costUsd } = run.used ?? { tokens: 0, costUsd: null };
  const seconds = columns
    .values("time/total_s")
    .reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0);
  const isEvaluating = run.evaluated !== null;
  const facts = [
    run.evaluated === null ? null : text.evaluating(run.evaluated.done, run.evaluated.total),
    run.state === "running" && eta !== null && eta > 0
      ? l10n.t("{0} left", formatDuration(eta))
      : null,
    // The progress of an evaluation takes their space.
    isEvaluating || seconds === 0 ? null : l10n.t("{0} training", formatDuration(seconds)),
    isEvaluating || tokens === 0 ? null : plural(tokens, "{0} token", "{0} tokens"),
    costUsd === null ? null : formatCost(costUsd),
  ].filter((fact) => fact !== null);
  return (
    <div class="header-progress">
      <span class="steps">
        {totalSteps === null
          ? l10n.t("step {0}", formatCount(completedSteps))
          : l10n.t("step {0} of {1}", formatCount(completedSteps), formatCount(totalSteps))}
      </span>
      {totalSteps === null ? null : (
        <progress aria-label={text.progress} value={completedSteps} max={Math.max(1, totalSteps)} />
      )}
      <Facts facts={facts} />
    </div>
  );
}

/** Breaks only between facts. Rendered even without facts, to keep its space. */
function Facts({ facts }: { readonly facts: readonly string[] }) {
  const line = facts.map((fact) => fact.replaceAll(" ", "\u00a0")).join("\u00a0· ");
  return (
    <span class="fact cut" title={line}>
      {line}
    </span>
  );
}

function EvaluationProgress({
  dashboard,
  run: { evaluated, used },
  models,
}: DashboardProps & {
  readonly run: RunView;
  readonly models: number;
}) {
  const done = dashboard.data.evaluations.value.length;
  const facts = [
    evaluated === null ? null : text.evaluating(evaluated.done, evaluated.total),
    used === null || used.costUsd === null ? null : formatCost(used.costUsd),
  ].filter((fact) => fact !== null);
  return (
    <div class="header-progress">
      <span class="steps">
        {l10n.t("evaluation: {0} of {1} models", formatCount(done), formatCount(models))}
      </span>
      <progress aria-label={text.progress} value={done} max={Math.max(1, models)} />
      <Facts facts={facts} />
    </div>
  );
}

/** A direct action on a run; all others are in the menu. */
interface Action {
  readonly command: DashboardCommand;
  readonly icon: IconName;
  readonly label: string;
  readonly title?: string | undefined;
}

function Actions({ dashboard, openHelp }: HeaderProps) {
  const { host } = dashboard;
  const run = dashboard.data.run.value;
  const isShort = useMedia("(max-width: 900px)");
  const hasTitleBar = host.can("titleActions");
  const isInTitleBar = useMedia("(max-width: 700px)") && hasTitleBar;
  const actions = run === null ? [] : actionsOf(run).filter(({ command }) => host.can(command));
  const names = isInTitleBar ? actions.map(({ command }) => command).join(" ") : "";
  useEffect(() => {
    if (hasTitleBar) host.command("titleActions", { text: names });
  }, [host, hasTitleBar, names]);
  if (run === null) return null;
  const folded = isInTitleBar ? actions : [];
  const shown = isInTitleBar ? [] : actions;
  return (
    <Toolbar label={l10n.t("Run actions")}>
      {shown.map(({ command, title, ...action }) => {
        const onClick = (): void => host.command(command);
        return isShort ? (
          <IconButton key={command} {...action} hint={title} onClick={onClick} />
        ) : (
          <Button key={command} class="secondary" {...action} title={title} onClick={onClick} />
        );
      })}
      <Menu
        label={l10n.t("More actions")}
        icon="ellipsis"
        items={[
          // The editor hides the title bar of an unfocused group, so the menu repeats its actions.
          ...folded.flatMap(({ label, title = label, command }) => host.menuItem(title, command)),
          ...moreItems(run, host, openHelp),
        ]}
      />
    </Toolbar>
  );
}

function actionsOf(run: RunView): readonly Action[] {
  const resume: Action = {
    command: "resume",
    icon: "debugRerun",
    label: l10n.t("Resume"),
    title: l10n.t("Resume from the newest saved state"),
  };
  return [...(run.isControllable ? controlsOf(run) : []), ...(run.isResumable ? [resume] : [])];
}

function controlsOf({ state, evaluatedModels }: RunView): readonly Action[] {
  const stop: Action = { command: "stop", icon: "debugStop", label: text.stop };
  if (evaluatedModels !== null) return [stop];
  const isPaused = state === "paused" || state === "pausing";
  return [
    isPaused
      ? { command: "continue", icon: "debugContinue", label: l10n.t("Continue") }
      : {
          command: "pause",
          icon: "debugPause",
          label: l10n.t("Pause"),
          title: l10n.t("Wait after this step"),
        },
    {
      command: "saveNow",
      icon: "save",
      label: l10n.t("Save"),
      title: l10n.t("Save a checkpoint now"),
    },
    { ...stop, title: l10n.t("Stop and save") },
  ];
}

function moreItems(run: RunView, host: Host, openHelp: () => void): readonly MenuItem[] {
  const control =
    run.evaluatedModels !== null
      ? []
      : [
          ...host.menuItem(l10n.t("Change settings of this run…"), "change-settings"),
          ...host.menuItem(l10n.t("Stop now without saving…"), "stopNow"),
        ];
  return [
    ...(run.isControllable ? control : []),
    ...host.menuItem(l10n.t("Reveal run folder"), "openRunFolder"),
    ...host.menuItem(l10n.t("Show run log"), "openLog"),
    { label: l10n.t("Keyboard shortcuts"), run: openHelp },
  ];
}
