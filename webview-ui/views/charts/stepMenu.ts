/** What can be done with a step of a chart. */

import { nearestSave } from "../../../src/shared/nearestSave.ts";
import type { MenuItem } from "../../controls/menu.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

const text = strings.stepMenu;

/** `step` counts from 0. A save after it or before it stands for it. */
export function stepMenu(dashboard: DashboardModel, step: number): readonly MenuItem[] {
  const { data, host } = dashboard;
  const checkpoints = data.checkpoints.value;
  const state = nearestSave(
    checkpoints.filter(({ statePath }) => statePath !== null),
    step + 1,
  );
  const sampler = nearestSave(
    checkpoints.filter(({ samplerPath }) => samplerPath !== null),
    step + 1,
  );
  const command = (name: "branchFromCheckpoint" | "evaluateCheckpoint", save: string) => () =>
    host.command(name, { name: save });
  return [
    {
      label: text.rollouts(step + 1),
      run: () => dashboard.openRollouts({ source: "training", step }),
    },
    ...(state === null
      ? []
      : [
          {
            label: text.branch(visibleLine(state.name)),
            run: command("branchFromCheckpoint", state.name),
          },
        ]),
    ...(sampler === null
      ? []
      : [
          {
            label: text.evaluate(visibleLine(sampler.name)),
            run: command("evaluateCheckpoint", sampler.name),
          },
        ]),
  ];
}
