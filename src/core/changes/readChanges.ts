/** Compares the model's texts in two ranges of steps. */

import type {
  ChangedPhrase,
  ChangesReport,
  PhraseExample,
  StepRange,
} from "../../shared/changes.ts";
import { BETWEEN_WORDS } from "../../shared/changes.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { FolderFiles } from "../ports.ts";
import { createRunReader, type RunReader } from "../runFolder/reader.ts";
import { matchRollout } from "../search/matchRollout.ts";
import { searchTerms } from "../search/searchTerms.ts";
import { alikeEndings } from "./alikeEndings.ts";
import { changedPhrases, type SurePhrase, type TaskWords } from "./changedPhrases.ts";
import { wordsOf } from "./phraseCounts.ts";
import { evenly, type ListedRollout, modelTexts, readSome } from "./readSample.ts";

/** Maximum number of steps per range. */
const MAX_STEPS = 50;
const READ_PER_STEP = 10;
/** Maximum number of endings compared in a step. */
const MAX_ENDINGS = 256;
const MAX_EXAMPLES = 3;
/** Steps between two reports. */
const STEPS_PER_REPORT = 5;

export interface Comparison {
  readonly before: StepRange;
  readonly after: StepRange;
}

/** Reports progress, then the results. @throws AppError `file-unreadable` */
export async function* readChanges(
  files: FolderFiles,
  folder: string,
  ranges: Comparison,
): AsyncGenerator<ChangesReport, void> {
  const reader = createRunReader(files, folder);
  const steps = await reader.steps("training");
  const read: Record<keyof Comparison, ListedRollout[]> = { before: [], after: [] };
  const plan = (["before", "after"] as const).flatMap((range) =>
    evenly(stepsIn(steps, ranges[range]), MAX_STEPS).map((step) => ({ range, step })),
  );
  const report = (ending: Partial<ChangesReport>): ChangesReport => ({
    before: read.before.length,
    after: read.after.length,
    more: [],
    less: [],
    endings: [],
    progress: 1,
    isComplete: false,
    ...ending,
  });
  for (const [at, { range, step }] of plan.entries()) {
    read[range].push(...(await readSome(reader, await reader.rollouts(step), READ_PER_STEP)));
    if (at % STEPS_PER_REPORT === 0) yield report({ progress: at / plan.length });
  }
  const { more, less } = changedPhrases(wordsByTask(read.before), wordsByTask(read.after));
  yield report({
    more: more.map((phrase) => withExamples(phrase, read.after)),
    less: less.map((phrase) => withExamples(phrase, read.before)),
    endings: await endingsOf(reader, plan.findLast(({ range }) => range === "after")?.step),
    isComplete: true,
  });
}

/** Groups rollouts of the same task and step. */
function wordsByTask(rollouts: readonly ListedRollout[]): readonly TaskWords[] {
  const tasks = groupBy(rollouts, ({ summary }) => `${summary.step} ${summary.group}`);
  return [...tasks.values()].map((own) => own.map(({ record }) => wordsOf(modelTexts(record))));
}

function stepsIn(steps: readonly number[], { from, to }: StepRange): readonly number[] {
  return steps.filter((step) => step >= from && step <= to);
}

async function endingsOf(reader: RunReader, step: number | undefined) {
  if (step === undefined) return [];
  return alikeEndings(await readSome(reader, await reader.rollouts(step), MAX_ENDINGS));
}

function withExamples(phrase: SurePhrase, read: readonly ListedRollout[]): ChangedPhrase {
  const examples: PhraseExample[] = [];
  const terms = searchTerms({ text: phraseExpression(phrase.words), isRegex: true, roles: [] });
  for (const { summary, record } of read) {
    if (examples.length === MAX_EXAMPLES) break;
    const [snippet] = matchRollout(record, terms, ["thinking", "answer", "call"])?.snippets ?? [];
    if (snippet === undefined) continue;
    const { source, step, group, rollout, reward } = summary;
    examples.push({ source, step, group, rollout, reward, snippet });
  }
  return { ...phrase, examples };
}

/** Regular expression for a phrase, with anything allowed between its words. */
function phraseExpression(words: string): string {
  return words.split(" ").join(BETWEEN_WORDS);
}
