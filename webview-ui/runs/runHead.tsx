/** A run's name behind its look, in the heads of tables. */

import { MiddleCut } from "../controls/middleCut.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { visibleLine } from "../text/visible.ts";
import { runLook } from "./runLook.ts";
import type { RunsModel } from "./runsModel.ts";

interface RunHeadProps {
  readonly runs: RunsModel;
  readonly run: { readonly id: string; readonly name: string };
}

export function RunHead({ runs, run: { id, name } }: RunHeadProps) {
  return (
    <span class="run-head">
      <Swatch {...runLook(runs.lookOf(id) ?? 0)} />
      <MiddleCut text={visibleLine(name)} />
    </span>
  );
}
