/** A card on runs of the local demo: what the model learns and, at the end, what to do next. */

import * as l10n from "@vscode/l10n";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { hasEnded } from "../../src/shared/hasEnded.ts";
import { unpackRows } from "../../src/shared/packedRows.ts";
import { Button, IconButton } from "../controls/button.tsx";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { visibleLine } from "../text/visible.ts";

export function DemoCard({ dashboard }: DashboardProps) {
  const run = dashboard.data.run.value;
  if (run === null || run.demoConfig === null) return null;
  if (dashboard.settings.value.isDemoCardClosed) return null;
  const isDone = hasEnded(run.state) && run.completedSteps > 0;
  return (
    <section class="card" aria-labelledby="demo-card-title">
      <div class="card-head row">
        <h2 id="demo-card-title">{l10n.t("Local demo")}</h2>
        <div class="card-actions">
          <IconButton
            icon="close"
            label={l10n.t("Dismiss")}
            onClick={() => dashboard.keep({ isDemoCardClosed: true })}
          />
        </div>
      </div>
      <p>
        {l10n.t(
          "A small model on this computer learns to answer arithmetic questions with a calculator tool.",
        )}{" "}
        <Configuration dashboard={dashboard} name={run.demoConfig} />
      </p>
      {isDone ? <NextSteps dashboard={dashboard} /> : null}
    </section>
  );
}

function Configuration({ dashboard, name }: DashboardProps & { readonly name: string }) {
  const { host } = dashboard;
  const shown = visibleLine(name);
  if (!host.can("openConfigAt")) return l10n.t("Its configuration is {0}.", shown);
  return (
    <Button
      class="link"
      label={l10n.t("Open {0}", shown)}
      title={l10n.t("The configuration that this run was started with")}
      onClick={() => host.command("openConfigAt", { path: [] })}
    />
  );
}

function NextSteps({ dashboard }: DashboardProps) {
  const { host, data } = dashboard;
  const step = data.rolloutSteps.value.at(-1);
  const saved = data.checkpoints.value.filter(({ samplerPath }) => samplerPath !== null);
  const best = saved.find((each) => each.best !== null) ?? saved[0];
  return (
    <ul class="next-steps" aria-label={l10n.t("Next steps")}>
      {step === undefined ? null : (
        <NextStep
          label={l10n.t("Read a rollout")}
          hint={l10n.t("See what the model said, which tools it called, and what earned a reward.")}
          onClick={() => readRollout(dashboard, step)}
        />
      )}
      {best === undefined || !host.can("evaluateCheckpoint") ? null : (
        <NextStep
          label={l10n.t("Evaluate")}
          hint={l10n.t("Compare the trained model with the base model on held-out tasks.")}
          onClick={() => host.command("evaluateCheckpoint", { name: best.name })}
        />
      )}
      {host.can("ownEnvironment") ? (
        <NextStep
          label={l10n.t("Your own environment")}
          hint={l10n.t("Create a configuration that trains in an environment that you wrote.")}
          onClick={() => host.command("ownEnvironment")}
        />
      ) : null}
    </ul>
  );
}

interface NextStepProps {
  readonly label: string;
  readonly hint: string;
  readonly onClick: () => void;
}

function NextStep({ label, hint, onClick }: NextStepProps) {
  return (
    <li class="stack">
      <Button class="secondary" label={label} title={hint} onClick={onClick} />
      <span>{hint}</span>
    </li>
  );
}

/** Opens the rollout with the highest reward in the step. */
function readRollout(dashboard: DashboardModel, step: number): void {
  const set = { source: "training", step } as const;
  const stop = dashboard.host.ask({ ask: "rollouts", ...set }, (answer) => {
    stop();
    const rows = answer.kind === "rollouts" ? unpackRows(answer.rows) : [];
    const best = rows.reduce<RolloutRow | null>(
      (found, row) => ((row.reward ?? 0) > (found?.reward ?? -1) ? row : found),
      null,
    );
    dashboard.openRollouts(set, best);
  });
}
