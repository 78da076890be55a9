import { expect, it } from "vitest";
import { checkpointLines } from "../../../src/cli/checkpoints/checkpointLines.ts";
import { renderLine } from "../../../src/cli/terminal/line.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";

function save(name: string, kind: CheckpointEntry["kind"], hour: number): CheckpointEntry {
  return aCheckpointEntry({
    name,
    kind,
    step: hour,
    state_path: `tinker://s:train:0/weights/${name}`,
    created_at: `2026-11-01T0${hour}:00:00.000Z`,
  });
}

const NOW_MS = Date.parse("2026-11-01T08:00:00.000Z");
const lasting = save("checkpoint_000001", "periodic", 1);

/** A line about an earlier save, as *Keep Checkpoint…* writes one. */
const note = { ...lasting, expires_at: "2026-12-01T00:00:00.000Z" };

it("a save is listed once with what holds of it now, however many notes there are about it", () => {
  const gone = { ...save("checkpoint_000003", "periodic", 3), expires_at: "2026-11-01T07:00:00Z" };
  const shown = checkpointLines([lasting, note, note, gone], NOW_MS)
    .map((line) => renderLine(line, false))
    .join("\n");
  expect(shown).toContain("checkpoint_000001  periodic, after 1 step");
  expect(shown).not.toContain("periodic, periodic");
  expect(shown).not.toContain(gone.name);
});
