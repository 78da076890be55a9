/** What an editor of this package and its server say to each other about tasks that a person plays. */

import * as z from "zod";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { PageMove, PlayPageMessage, PlayStart } from "../shared/play.ts";
import type { ReportsProgress } from "./requests.ts";

export const PLAY_REQUESTS = {
  /**
   * An {@link OpenPlayRequest} lasts as long as its play: it reports each `PlayReply`, and is answered with the `RequestOutcome` of null
   * once the play is over. It fails when the play cannot begin; canceling it ends the play.
   */
  open: "tinkerRL/play/open",
} as const;

/** A {@link PlayMoveMessage}; what it brings is reported by the request that opened the play. */
export const PLAY_MOVE = "tinkerRL/play/move";

/** Its `progressToken` names the play. */
export interface OpenPlayRequest extends PlayStart, ReportsProgress {}

export interface PlayMoveMessage {
  /** The `progressToken` of the request that opened it. */
  readonly play: string;
  readonly move: PageMove;
}

/** More than anybody types, or pastes. */
const MAX_TEXT = 1_000_000;
const text = z.string().max(MAX_TEXT);

export const openPlaySchema: z.ZodType<OpenPlayRequest> = z
  .object({
    progressToken: z.string(),
    launch: launchRequestSchema,
    environment: z.string(),
    split: z.string(),
    task: z.number().int().nonnegative(),
  })
  .readonly();

const move: z.ZodType<PageMove> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("call"), name: text, args: text }),
  z.strictObject({ kind: z.literal("text"), text }),
]);

export const playMoveSchema: z.ZodType<PlayMoveMessage> = z
  .object({ play: z.string(), move })
  .readonly();

export const playPageMessageSchema: z.ZodType<PlayPageMessage> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.enum(["ready", "again", "read"]) }),
  z.strictObject({ kind: z.literal("move"), move }),
]);
