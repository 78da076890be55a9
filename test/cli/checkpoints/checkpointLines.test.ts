import { expect, it } from "vitest";
import { checkpointLines } from "../../../src/cli/checkpoints/checkpointLines.ts";
import { renderLine } from "../../../src/cli/terminal/line.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";

const NOW_MS = Date.parse("2026-11-01T08:00:00.000Z");
const lasting = aCheckpointEntry({ name: "checkpoint_000001", step: 1 });

/** A line about an earlier save, as *Keep Checkpoint…* writes it. */
const note = { ...lasting, expires_at: "2026-12-01T00:00:00.000Z" };

it("a save is listed once with its current state, however many notes there are about it", () => {
  const expires_at = "2026-11-01T07:00:00Z";
  const gone = aCheckpointEntry({ name: "checkpoint_000003", step: 3, expires_at });
  const shown = checkpointLines([lasting, note, note, gone], NOW_MS)
    .map((line) => renderLine(line, false))
    .join("\n");
  expect(shown).toContain("checkpoint_000001  periodic, after 1 step");
  expect(shown).toContain("expires 2026-12-01 00:00");
  expect(shown).not.toContain("periodic, periodic");
  expect(shown).not.toContain(gone.name);
});

it("a save whose state alone was deleted says so", () => {
  const sampler_path = "tinker://a/sampler_weights/checkpoint_000001";
  const [facts, ...paths] = checkpointLines(
    [lasting, { ...lasting, state_path: null, sampler_path }],
    NOW_MS,
  ).map((line) => renderLine(line, false));
  expect(facts).toContain("after 1 step, state deleted");
  expect(paths).toEqual([expect.stringContaining(sampler_path)]);
});
