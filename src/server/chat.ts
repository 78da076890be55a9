/** Serves conversations with models to the editor. */

import { CHAT_ACT, CHAT_REQUESTS, chatActSchema, openChatSchema } from "../api/chat.ts";
import { SEEDS, Talk } from "../core/conversation/talk.ts";
import { isAppError } from "../core/errors.ts";
import { aborted } from "../core/util/abort.ts";
import { systemRandom } from "../node/random.ts";
import type { ChatAction, ChatReply, ChatSettings } from "../shared/chat.ts";
import type { ChatPartner, OpenChat } from "../trainer/chat/openChat.ts";
import { launchError } from "../trainer/control/launchError.ts";
import { chatView, type SamplingProgress } from "./chatView.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";

/** Each conversation lives as long as its request. */
export function serveChats(server: ServerOptions): void {
  const { connection } = server;
  const conversations = new Map<string, Conversation>();
  answerRequests(
    server,
    CHAT_REQUESTS.open,
    openChatSchema,
    async ({ progressToken, launch, settings, ...wanted }, { fileSystem, signal, redactor }) => {
      const reply = reporterTo<ChatReply>(connection, progressToken);
      const opened = await server.trainer.openChat(fileSystem, {
        ...wanted,
        configPath: null,
        overrides: launch.training.overrides,
        allowedOrigins: [],
        launchRequest: launch,
        signal,
        redactor,
        onPart: (what) => reply({ kind: "part", what }),
        onNotice: () => conversations.get(progressToken)?.show(),
      });
      const fail = (error: unknown): void => {
        const cleaned = launchError(redactor.redactError(error));
        reply({ kind: "failed", error: cleaned, isOver: false });
      };
      const conversation = converse(opened, settings, reply, fail);
      conversations.set(progressToken, conversation);
      try {
        await aborted(signal);
      } finally {
        conversations.delete(progressToken);
        await conversation.end();
        await opened.close();
      }
      return null;
    },
  );
  connection.onNotification(CHAT_ACT, (message: unknown) => {
    const { conversation, action } = chatActSchema.parse(message);
    conversations.get(conversation)?.act(action);
  });
}

interface Conversation {
  /** Sends the complete state. */
  show(): void;
  act(action: ChatAction): void;
  /** Stops the action in progress and drops queued ones. */
  end(): Promise<void>;
}

/** Runs actions one after another, except for stop, which takes effect immediately. */
function converse(
  opened: OpenChat,
  settings: ChatSettings | null,
  reply: (what: ChatReply) => void,
  fail: (error: unknown) => void,
): Conversation {
  let sampling: SamplingProgress = null;
  let isOver = false;
  const show = (): void => reply({ kind: "view", view: chatView(opened, talk, sampling) });
  const seed = Math.floor(systemRandom.uniform() * SEEDS);
  const talk = new Talk(
    opened.partners,
    settings ?? { temperature: null, maxTokens: null, seed, samples: 1, answersBy: "environment" },
    {
      onSampling: (progress) => {
        sampling = progress;
        show();
      },
      onTurns: show,
      onAnswers: show,
    },
  );
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    if (isOver) return;
    try {
      await action();
    } catch (error) {
      if (!isAppError(error, "stopped")) fail(error);
    }
    show();
  };
  let acting = attempt(() => talk.goOn());
  return {
    show,
    act: (action) => {
      if (action.action === "stop") talk.stop();
      else acting = acting.then(() => attempt(() => perform(talk, action)));
    },
    end: async () => {
      isOver = true;
      talk.stop();
      await acting;
    },
  };
}

async function perform(
  talk: Talk<ChatPartner>,
  action: Exclude<ChatAction, { readonly action: "stop" }>,
): Promise<unknown> {
  switch (action.action) {
    case "say":
      return talk.say(action.text);
    case "answer":
      return talk.answer(action.text);
    case "choose":
      return talk.choose(action.index);
    case "change":
      talk.settings = { ...talk.settings, ...action.settings };
      return talk.goOn();
    case "proceed":
      return talk.proceed();
    case "again":
      return talk.again();
    case "undo":
      return talk.undo();
  }
}
