/** A turn of a model: thinking, text and calls apart, or all of it as it was written. */

import { useId } from "preact/hooks";
import type { ChatTurnView } from "../../src/shared/chat.ts";
import { chatStrings as text } from "../strings/chat.ts";
import { strings } from "../strings/strings.ts";
import { FoldedText, wholeText } from "../text/foldedText.tsx";
import { Block } from "../views/replay/replayBlock.tsx";
import {
  CallBlock,
  FaultyCallBlock,
  ReasoningBlock,
  SilentBlock,
} from "../views/replay/turnBlocks.tsx";
import type { ChatModel } from "./chatModel.ts";

interface ModelTurnProps {
  readonly chat: ChatModel;
  readonly turn: ChatTurnView;
  readonly title: string;
  /** Of the element that names the model. */
  readonly partnerId: string;
}

export function ModelTurn({ chat, turn, title, partnerId }: ModelTurnProps) {
  const id = useId();
  return (
    <section class="turn" tabIndex={-1} aria-labelledby={`${partnerId} ${id}`}>
      <div class="turn-head">
        <h3 id={id}>{title}</h3>
        <span class="fact">{text.turnTokens(turn.tokens)}</span>
        {turn.isCut ? <span class="fact">{text.cut}</span> : null}
      </div>
      {chat.isRaw.value ? <AsWritten turn={turn} /> : <Understood chat={chat} turn={turn} />}
    </section>
  );
}

function AsWritten({ turn }: Pick<ModelTurnProps, "turn">) {
  return (
    <Block label={strings.replay.raw} tone="model">
      <FoldedText content={wholeText(turn.raw)} class="mono" />
    </Block>
  );
}

function Understood({ chat, turn }: Pick<ModelTurnProps, "chat" | "turn">) {
  const { thinking, text: said, calls, errors, raw } = turn;
  const isSilent = said === "" && thinking === null && calls.length + errors.length === 0;
  return (
    <>
      {thinking === null ? null : (
        <ReasoningBlock reasoning={wholeText(thinking)} isOpen={chat.isThinkingOpen.value} />
      )}
      {said.trim() === "" ? null : (
        <Block label={strings.replay.model} tone="model">
          <FoldedText content={wholeText(said)} />
        </Block>
      )}
      {calls.map(({ name, args }, index) => (
        <CallBlock key={index} call={{ name, args: wholeText(args) }} />
      ))}
      {errors.map((error, index) => (
        <FaultyCallBlock key={index} reason={error.message} raw={wholeText(error.raw)} />
      ))}
      {isSilent ? <SilentBlock sampled={wholeText(raw)} /> : null}
    </>
  );
}
