/** Records a run's tokenizer in its events, and warns if it differs from the published one or from the previous one. */

import * as z from "zod";
import type { TokenizerOrigin } from "../../core/chat/tokenizer.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { knownTokenizer } from "../../core/models/knownTokenizers.ts";
import { dataOfEvents } from "../../core/runFolder/events.ts";
import type { RunReporting, RunStorage } from "../../core/training/run/context.ts";
import { report } from "../../core/training/run/report.ts";

const KIND = "tokenizer-loaded";
const noteSchema = z.object({
  name: z.string(),
  source: z.string(),
  revision: z.string().nullable(),
  tokenizer_sha256: z.string(),
  template_sha256: z.string().nullable(),
});
type Note = z.infer<typeof noteSchema>;
interface NoteContext {
  readonly config: Pick<Config, "model_name">;
  readonly storage: Pick<RunStorage, "fileSystem" | "folder">;
  readonly reporting: Pick<RunReporting, "events" | "redactor" | "watch">;
}

/** Call once per attempt. The previous tokenizer comes from the run's events. @throws AppError `disk` */
export async function noteTokenizer(
  origin: TokenizerOrigin,
  { config, reporting, storage }: NoteContext,
  step: number,
): Promise<void> {
  const now = noteOf(origin);
  const before = (await dataOfEvents(storage, KIND, noteSchema)).at(-1) ?? null;
  await reporting.events.record({
    step,
    level: "info",
    kind: KIND,
    data: now,
    message: `The tokenizer is ${describe(now)}.`,
  });
  const warn = async (kind: string, message: string | null): Promise<void> => {
    if (message !== null) await report(reporting, { step, level: "warn", kind, message });
  };
  if (before?.tokenizer_sha256 !== now.tokenizer_sha256) {
    await warn("tokenizer-unpublished", describeUnpublished(config.model_name, now));
  }
  if (before !== null) await warn("tokenizer-changed", describeChange(before, now));
}

/** Only a warning, because different bytes may still produce the same ids. */
function describeUnpublished(model: string, { tokenizer_sha256: sha256, ...note }: Note) {
  const { sha256: published } = knownTokenizer(model);
  if (published === null || published === sha256) return null;
  return `The tokenizer file of ${note.name} (${note.source}) differs from the published file of ${model}: its SHA-256 is ${sha256}, not ${published}. If it gives other ids, the model reads and learns nonsense. Check where the file comes from, or use the one on the Hugging Face Hub.`;
}

function noteOf(origin: TokenizerOrigin): Note {
  const { name, source, revision } = origin;
  const { tokenizerSha256: tokenizer_sha256, templateSha256: template_sha256 } = origin;
  return { name, source, revision, tokenizer_sha256, template_sha256 };
}

function describeChange(before: Note, now: Note): string | null {
  const isSameTokenizer = before.tokenizer_sha256 === now.tokenizer_sha256;
  const isSameTemplate = before.template_sha256 === now.template_sha256;
  if (isSameTokenizer && isSameTemplate) return null;
  const changed = isSameTokenizer ? "chat template" : "tokenizer";
  return `The ${changed} of this run has changed: it was ${describe(before)} and is now ${describe(now)}. It may not fit what the model learned. Stop the run and restore the earlier files, or start a new run.`;
}

function describe({ name, source, revision, tokenizer_sha256 }: Note): string {
  const version =
    revision === null
      ? `file with SHA-256 ${tokenizer_sha256.slice(0, 12)}`
      : `revision ${revision.slice(0, 12)}`;
  return `${name} (${source}, ${version})`;
}
