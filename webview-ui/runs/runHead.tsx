/** A run's name after its swatch, for table heads. */

import { MiddleCut } from "../controls/middleCut.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { visibleLine } from "../text/visible.ts";
import { runLook } from "./runLook.ts";
import type { RunsProps } from "./runsModel.ts";

interface RunHeadProps extends RunsProps {
  readonly run: { readonly id: string; readonly name: string };
}

export function RunHead({ runs, run: { id, name } }: RunHeadProps) {
  return (
    <span class="named-run">
      <Swatch {...runLook(runs.lookOf(id) ?? 0)} />
      <MiddleCut text={visibleLine(name)} />
    </span>
  );
}
