/** Two fields for the first and the last step of a range, which people count from 1. */

import type { StepRange } from "../../src/shared/changes.ts";
import { changesStrings as text } from "../strings/changes.ts";

interface RangeProps {
  readonly label: string;
  readonly range: StepRange;
  readonly set: (range: StepRange) => void;
}

export function StepRangeFields({ label, range, set }: RangeProps) {
  const field = (key: keyof StepRange) => (
    <input
      type="number"
      min={1}
      step={1}
      aria-label={`${label} ${key === "from" ? text.from : text.to}`}
      value={range[key] + 1}
      onInput={({ currentTarget: { valueAsNumber } }) => {
        if (Number.isInteger(valueAsNumber) && valueAsNumber >= 1) {
          set({ ...range, [key]: valueAsNumber - 1 });
        }
      }}
    />
  );
  return (
    <span class="field step-range">
      <span>{label}</span>
      {field("from")}
      <span aria-hidden="true">–</span>
      {field("to")}
    </span>
  );
}
