import { expect, it } from "vitest";
import { OTHER_TOKENIZER } from "../../../../src/core/chat/pieces.ts";
import type { Renderer } from "../../../../src/core/chat/renderer.ts";
import { requireChecks } from "../../../../src/core/chat/setup/checks.ts";
import { AppError } from "../../../../src/core/errors.ts";

it("a failed check's message states the remedy only once", () => {
  const checks = {
    tokens: () => {
      throw new AppError("chat-token-missing", `There is no token <|im_end|>. ${OTHER_TOKENIZER}`);
    },
  };
  const format = { id: "chatml" } as Renderer;
  expect(() => requireChecks(format, checks, null)).toThrow(
    `The chat format chatml failed its check: There is no token <|im_end|>. The run does not start, because training would go wrong without any error. ${OTHER_TOKENIZER}`,
  );
});
