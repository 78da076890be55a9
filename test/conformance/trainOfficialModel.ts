/** A scripted model: it identifies the task and turn from the prompt, and makes the move of the next play. */

import { encodeWhole, qwen3Model } from "../node/tokenizer/qwen3Model.ts";
import { type OfficialEnvironment, type Play, SETUP_CASES } from "./trainOfficialPlays.ts";

const ANSWER = "<|im_start|>assistant\n";

/** A marker for the play in the model's text, so that later turns and the records show which one it is. */
const MARK = /Play (\d+)\./;

/** Number of the play that a turn's text belongs to. */
export function playNumber(text: string): number {
  return Number(MARK.exec(text)?.[1] ?? Number.NaN);
}

/** Maps a prompt's token ids to the ids of an answer; every new episode of a task is the next of its plays. */
export function playingModel(
  environments: readonly OfficialEnvironment[],
): (prompt: readonly number[]) => readonly number[] {
  const begun = new Map<string, number>();
  return (prompt) => {
    const text = qwen3Model.tokenizer.decode(prompt);
    const { name, index } = taskOf(text);
    const plays = environments.find((each) => each.name === name)?.plays(index) ?? [];
    // The model's turns; an environment may have started with others.
    const turns = text
      .split(ANSWER)
      .slice(1, -1)
      .filter((turn) => MARK.test(turn));
    const [opening] = turns;
    const task = `${name} ${index}`;
    const number = opening === undefined ? (begun.get(task) ?? 0) : playNumber(opening);
    if (opening === undefined) begun.set(task, number + 1);
    const which = number % plays.length;
    return encodeWhole(`${answerTo(plays[which], which, turns.length)}<|im_end|>`);
  };
}

function answerTo(play: Play | undefined, number: number, turn: number): string {
  const move = play?.moves[turn];
  const mark = `Play ${number}.`;
  if (move === undefined) return `${mark} I have nothing to say.`;
  if (typeof move === "string") return `${mark} ${move}`;
  const call = JSON.stringify({ name: move.tool, arguments: move.input });
  const says = move.says === undefined ? "" : ` ${move.says}`;
  return `${mark}${says}\n<tool_call>\n${call}\n</tool_call>`;
}

/** How the environments show their tasks; those without a number only play their first task. */
function taskOf(text: string): { readonly name: string; readonly index: number } {
  const [, name, task] = /(\w+): task train-(\d+)/.exec(text) ?? [];
  if (name !== undefined) return { name: name.toLowerCase(), index: Number(task) };
  const start = /The counter stands at (\d+)\./.exec(text)?.[1];
  if (start !== undefined) return { name: "probe", index: Number(start) };
  const setUp = /\bcase ([\w-]+)/.exec(text)?.[1] ?? "";
  if (SETUP_CASES.includes(setUp)) return { name: "setupcases", index: SETUP_CASES.indexOf(setUp) };
  if (text.includes("Which colour is this?")) return { name: "pictures", index: 0 };
  if (text.includes("What is in the box?")) return { name: "conversation", index: 0 };
  return { name: "bulk", index: 0 };
}
