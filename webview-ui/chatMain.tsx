/** The page of a conversation. */

import { render } from "preact";
import { ChatApp } from "./chat/chatApp.tsx";
import { type ChatHost, ChatModel } from "./chat/chatModel.ts";

declare function acquireVsCodeApi(): ChatHost;

const root = document.querySelector("#root");
if (root !== null) {
  const chat = new ChatModel(acquireVsCodeApi());
  render(<ChatApp chat={chat} />, root);
  chat.listen();
}
