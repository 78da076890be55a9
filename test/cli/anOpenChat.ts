/** Chats with scripted models and a scripted environment. */

import { declareTool } from "../../src/core/chat/firstPrompt.ts";
import { Conversation } from "../../src/core/conversation/conversation.ts";
import { LiveTask } from "../../src/core/conversation/liveTask.ts";
import { messageOpening } from "../../src/core/conversation/openings.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { sha256 } from "../../src/node/hash.ts";
import { meteredModel } from "../../src/trainer/chat/meteredModel.ts";
import type { ChatPartner, OpenChat } from "../../src/trainer/chat/openChat.ts";
import { loadConfigText } from "../../src/trainer/config/configFiles.ts";
import { type SessionScript, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import {
  renderer,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "../core/rollout/scriptedModel.ts";
import { someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

/** One dollar per token. */
const CONFIG = `
model_name: Any/Model
batch_size: 1
environments: { local/calculator: { splits: { train: {} }, num_rollouts: 2 } }
prices: { sampled: 1000000, prefill_cached: 1000000, prefill_uncached: 1000000, trained: 0 }
`;
const chat = { renderer, tokenizer };
const settings = someSettings();

async function partner(
  label: string,
  turns: readonly TurnScript[],
  script: SessionScript | null,
): Promise<ChatPartner> {
  const task =
    script === null
      ? null
      : await LiveTask.open({
          remote: scriptedEnvironment([script]),
          split: "train",
          index: 0,
          chat,
          settings,
          clock: new FakeClock(),
        });
  const loaded = loadConfigText(CONFIG, "config.yaml", []);
  const { sampler, used } = await meteredModel(scriptedSampler(turns), loaded, null);
  const conversation = new Conversation({
    chat,
    sampler,
    sha256,
    maxTotalTokens: 900,
    task,
    opening: task?.rendered ?? messageOpening(chat, { systemPromptTemplate: null, system: null }),
    tools: task?.rendered.tools.map(declareTool) ?? [],
  });
  const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens: 64 };
  return {
    label,
    conversation,
    sampling,
    settings,
    used,
    maxTurns: 50,
    decode: (ids) => tokenizer.decode(ids),
  };
}

export interface ChatScript {
  /** The turns of each model, by its label. */
  readonly turns: Readonly<Record<string, readonly TurnScript[]>>;
  readonly script?: SessionScript | undefined;
  /** Removed from everything shown. */
  readonly secret?: string;
}

export async function anOpenChat({ turns, script, secret = "" }: ChatScript): Promise<{
  readonly opened: OpenChat;
  readonly isClosed: () => boolean;
}> {
  const redactor = new Redactor();
  redactor.learn(secret);
  let isClosed = false;
  const partners = await Promise.all(
    Object.entries(turns).map(([label, own]) => partner(label, own, script ?? null)),
  );
  const opened: OpenChat = {
    partners,
    task: null,
    notes: [],
    clean: (record) => redactor.redactRecord(record),
    close: async () => {
      isClosed = true;
    },
  };
  return { opened, isClosed: () => isClosed };
}
