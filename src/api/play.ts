/** Requests between this extension and its server about tasks played by a person. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { PageMove, PlayPageMessage } from "../shared/play.ts";

export const PLAY_REQUESTS = {
  /**
   * An {@link OpenPlayRequest} lives as long as its play: it reports each `PlayReply`, and is answered with the `RequestOutcome` of null
   * once the play is over. It fails if the play cannot start; canceling it ends the play.
   */
  open: "tinkerRL/play/open",
} as const;

/** Sends a {@link PlayMoveMessage}; the request that opened the play reports the result. */
export const PLAY_MOVE = "tinkerRL/play/move";

/** More than anyone types or pastes. */
const MAX_TEXT = 1_000_000;
const text = z.string().max(MAX_TEXT);

export const openPlaySchema = z
  .object({
    /** Identifies the play. */
    progressToken: z.string(),
    launch: launchRequestSchema,
    environment: z.string(),
    split: z.string(),
    /** Index in the split, from 0. */
    task: z.number().int().nonnegative(),
  })
  .readonly();
export type OpenPlayRequest = z.infer<typeof openPlaySchema>;

const move: z.ZodType<PageMove> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("call"), name: text, args: text }),
  z.strictObject({ kind: z.literal("text"), text }),
]);

/** `play` is the `progressToken` of the request that opened it. */
export const playMoveSchema = z.object({ play: z.string(), move }).readonly();
export type PlayMoveMessage = z.infer<typeof playMoveSchema>;

export const playPageMessageSchema: z.ZodType<PlayPageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["ready", "again", "read"]) }),
  z.strictObject({ kind: z.literal("move"), move }),
]);
