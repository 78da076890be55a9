/** Chooses one of the token streams of a rollout; nothing where there is only one. */

import type { ReplayTurn } from "../../../src/shared/dashboardTypes.ts";
import { strings } from "../../strings/strings.ts";
import { streamLabel } from "./streamLabel.ts";

const text = strings.tokens;

interface StreamPickerProps {
  /** Of the streams to choose from. */
  readonly streams: readonly number[];
  /** Of the rollout. */
  readonly turns: readonly Pick<ReplayTurn, "stream">[];
  readonly stream: number;
  readonly setStream: (stream: number) => void;
}

export function StreamPicker({ streams, turns, stream, setStream }: StreamPickerProps) {
  if (streams.length < 2) return null;
  return (
    <label class="field">
      <span>{text.stream}</span>
      <select value={stream} onChange={({ currentTarget: { value } }) => setStream(Number(value))}>
        {streams.map((one) => (
          <option key={one} value={one}>
            {streamLabel(one, turns)}
          </option>
        ))}
      </select>
    </label>
  );
}
