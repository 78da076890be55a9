/** How the program talks to models for an editor: its start with keys and its actions over standard input, what there is to show as lines of JSON. */

import { createInterface } from "node:readline";
import { Talk } from "../../core/conversation/talk.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { chatActionSchema, chatStartSchema } from "../../node/control/chatMessages.ts";
import { systemRandom } from "../../node/random.ts";
import type { ChatAction, ChatReply, ChatSettings, ChatStart } from "../../shared/chat.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { ChatPartner, OpenChat } from "../../trainer/chat/openChat.ts";
import type { ProgramOptions } from "../arguments/programOptions.ts";
import { SEEDS } from "../chat/chat.ts";
import { asciiJson } from "../terminal/asciiJson.ts";
import { exitCodeOf } from "../terminal/exitCode.ts";
import { chatView, type SamplingProgress } from "./chatView.ts";
import { launchError } from "./launch.ts";

/** Talks until the editor ends its input, and resolves with the exit code. @throws AppError `bad-arguments` without a start */
export async function chatForEditor({
  fileSystem,
  input,
  out,
  trainer,
}: Pick<ProgramOptions, "fileSystem" | "input" | "out" | "trainer">): Promise<number> {
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const start = chatStartSchema.safeParse(parseJson((await lines.next()).value ?? "")?.value);
  if (!start.success) {
    throw new AppError(
      "bad-arguments",
      "--chat is for editors: it reads its instructions from standard input.",
    );
  }
  const reply = (what: ChatReply): void => out.print([[asciiJson(what)]]);
  const fail = (error: unknown, isOver: boolean): void =>
    reply({ kind: "failed", error: launchError(error), isOver });
  const leaving = new AbortController();
  try {
    const opened = await trainer.openChat(fileSystem, {
      ...requestOf(start.data),
      onPart: (what) => reply({ kind: "part", what }),
      signal: leaving.signal,
    });
    try {
      const { settings } = start.data;
      await serve(lines, opened, settings, reply, (error) => fail(error, false));
    } finally {
      await opened.close();
    }
    return EXIT.done;
  } catch (error) {
    fail(error, true);
    return exitCodeOf(error);
  }
}

function requestOf({ launch, settings: _, ...wanted }: ChatStart) {
  const { overrides } = launch.training;
  return { ...wanted, configPath: null, overrides, allowedOrigins: [], launchRequest: launch };
}

/** Carries out actions one after the other; a stop at once. */
async function serve(
  lines: AsyncIterator<string>,
  opened: OpenChat,
  settings: ChatSettings | null,
  reply: (what: ChatReply) => void,
  fail: (error: unknown) => void,
): Promise<void> {
  let sampling: SamplingProgress = null;
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
    try {
      await action();
    } catch (error) {
      if (!isAppError(error, "stopped")) fail(error);
    }
    show();
  };
  let acting = attempt(() => talk.goOn());
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const action = chatActionSchema.safeParse(parseJson(line.value)?.value).data;
    if (action === undefined) continue;
    if (action.action === "stop") talk.stop();
    else acting = acting.then(() => attempt(() => act(talk, action)));
  }
  talk.stop();
  await acting;
}

async function act(
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
