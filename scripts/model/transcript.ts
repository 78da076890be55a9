/** Plays scripted games through the product's own environments and renderer, so that the base model sees the real formats. */

import { createControlTokens } from "../../src/core/chat/controlTokens.ts";
import { buildFirstPrompt } from "../../src/core/chat/firstPrompt.ts";
import type { FollowUp, Renderer } from "../../src/core/chat/renderer.ts";
import { chatml } from "../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../src/core/chat/template/templateRenderer.ts";
import type { ModelTokenizer } from "../../src/core/chat/tokenizer.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { NO_CALL_NUDGE, toolErrorText } from "../../src/core/rollout/feedback.ts";
import { type ExactJsonObject, writeExactJson } from "../../src/core/util/exactJson.ts";
import { EMBEDDED_ENVIRONMENTS } from "../../src/local/environment/catalogue.ts";
import { hostEnvironment } from "../../src/local/environment/server/hostedEnvironment.ts";
import { Session } from "../../src/local/environment/server/session.ts";
import { inputSchema } from "../../src/local/environment/server/toolInput.ts";
import { integerBetween } from "../../src/local/random.ts";
import { systemClock } from "../../src/node/clock.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { createUniform } from "../../src/shared/uniform.ts";
import type { Exchange, Player, Style } from "./players.ts";

const MAX_TURNS = 6;

export interface Transcript {
  readonly ids: readonly number[];
  /** True for tokens of the player. */
  readonly spoken: readonly boolean[];
  readonly reward: number;
}

export interface Voice {
  readonly model: ModelTokenizer;
  readonly renderer: Renderer;
}

const END = "<|im_end|>";

/** The tokenizer of the model in `folder` with its chat format. */
export async function openVoice(folder: string): Promise<Voice> {
  const model = await loadModelTokenizer(folder);
  return { model, renderer: createTemplateRenderer({ model, family: chatml, thinking: false }) };
}

/** Plays a training task of the player's environment. */
export async function playTranscript(
  voice: Voice,
  player: Player,
  seed: number,
): Promise<Transcript> {
  const definition = EMBEDDED_ENVIRONMENTS.find(
    (candidate) => candidate.name === player.environment,
  );
  if (definition === undefined) throw new Error(`no environment ${player.environment}`);
  const uniform = createUniform(seed);
  const task = definition.task(
    "train",
    integerBetween(uniform, 0, (definition.splits["train"] ?? 1) - 1),
  );
  const session = new Session({ hosted: hostEnvironment(definition), task, clock: systemClock });
  const tools = Object.entries(definition.tools).map(([name, tool]) => ({
    name,
    description: tool.description,
    inputSchema: inputSchema(tool),
  }));
  const first = buildFirstPrompt({
    systemPromptTemplate: null,
    task: [{ role: "user", content: definition.prompt(task) }],
    tools,
  });
  const ids = [...voice.renderer.renderInitial(first.messages, first.tools)];
  const spoken = ids.map(() => false);
  const history: Exchange[] = [];
  const style = drawStyle(player, uniform);
  let reward = 0;
  const add = (more: readonly number[], byPlayer: boolean): void => {
    ids.push(...more);
    spoken.push(...more.map(() => byPlayer));
  };
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const said = player.turn({ task, history, uniform, style });
    // The model generates control tokens itself.
    const turnIds = createControlTokens(voice.model.tokenizer).encode(said + END);
    add(turnIds, true);
    const answer = await respond(voice.renderer, session, turnIds);
    reward += answer.reward;
    if (answer.finished || turn === MAX_TURNS - 1) break;
    history.push({ said, results: answer.followUps.map((followUp) => followUp.content) });
    add(voice.renderer.bridge(turnIds, answer.followUps).delta, false);
  }
  return { ids, spoken, reward };
}

function drawStyle(player: Player, uniform: () => number): Style {
  const u = uniform();
  if (u < player.careful) return "careful";
  return u < player.careful + player.hasty ? "hasty" : "sloppy";
}

interface Answer {
  readonly followUps: readonly FollowUp[];
  readonly reward: number;
  readonly finished: boolean;
}

/** The arguments as a server would receive them. */
function asReceived(args: ExactJsonObject): JsonObject {
  return JSON.parse(writeExactJson(args));
}

async function respond(
  renderer: Renderer,
  session: Session,
  turn: readonly number[],
): Promise<Answer> {
  const parsed = renderer.parse(turn);
  const followUps: FollowUp[] = [];
  let reward = 0;
  for (const call of parsed.calls) {
    const outcome = await session.startCall(call.name, asReceived(call.args)).outcome;
    const reply = outcome.kind === "result" ? (JSON.parse(outcome.json) as JsonObject) : {};
    const output = reply["output"] as
      | { blocks: { text: string }[]; reward: number | null; finished: boolean }
      | undefined;
    const content = output?.blocks[0]?.text ?? toolErrorText(String(reply["error"]));
    followUps.push({ role: "tool", name: call.name, callId: "call", content });
    reward += output?.reward ?? 0;
    if (output?.finished === true) return { followUps, reward, finished: true };
  }
  for (const error of parsed.errors) {
    followUps.push({ role: "tool", name: "error", callId: "call", content: error.message });
  }
  if (followUps.length === 0) followUps.push({ role: "user", content: NO_CALL_NUDGE });
  return { followUps, reward, finished: false };
}
