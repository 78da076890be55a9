/** Notes in a run's events which tokenizer it has, and warns when a resumed run has another one. */

import * as z from "zod";
import type { TokenizerOrigin } from "../core/chat/tokenizer.ts";
import { readEvents } from "../core/runFolder/events.ts";
import type { RunReporting, RunStorage } from "../core/training/context.ts";
import { report } from "../core/training/report.ts";

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
  readonly storage: Pick<RunStorage, "fileSystem" | "folder">;
  readonly reporting: Pick<RunReporting, "events" | "redactor" | "watch">;
}

/** Call it once an attempt. What the run had before comes from its events. @throws AppError `disk` */
export async function noteTokenizer(
  origin: TokenizerOrigin,
  { reporting, storage }: NoteContext,
  step: number,
): Promise<void> {
  const now = noteOf(origin);
  const before = await lastNote(storage);
  await reporting.events.record({
    step,
    level: "info",
    kind: KIND,
    data: now,
    message: `The tokenizer is ${describe(now)}.`,
  });
  const message = before === null ? null : describeChange(before, now);
  if (message === null) return;
  await report(reporting, { step, level: "warn", kind: "tokenizer-changed", message });
}

function noteOf(origin: TokenizerOrigin): Note {
  const { name, source, revision } = origin;
  const { tokenizerSha256: tokenizer_sha256, templateSha256: template_sha256 } = origin;
  return { name, source, revision, tokenizer_sha256, template_sha256 };
}

async function lastNote({ fileSystem, folder }: NoteContext["storage"]): Promise<Note | null> {
  let last: Note | null = null;
  for await (const { kind, data } of readEvents(fileSystem, folder)) {
    if (kind === KIND) last = noteSchema.safeParse(data).data ?? last;
  }
  return last;
}

function describeChange(before: Note, now: Note): string | null {
  const isSameTokenizer = before.tokenizer_sha256 === now.tokenizer_sha256;
  const isSameTemplate = before.template_sha256 === now.template_sha256;
  if (isSameTokenizer && isSameTemplate) return null;
  const changed = isSameTokenizer ? "chat template" : "tokenizer";
  return `The ${changed} is no longer the one that this run had before: ${describe(before)} then, ${describe(now)} now. What the model learnt may not fit it. Stop the run and put the earlier files back, or start a new run.`;
}

function describe({ name, source, revision, tokenizer_sha256 }: Note): string {
  const version =
    revision === null
      ? `tokenizer.json with SHA-256 ${tokenizer_sha256.slice(0, 12)}`
      : `revision ${revision.slice(0, 12)}`;
  return `${name} (${source}, ${version})`;
}
