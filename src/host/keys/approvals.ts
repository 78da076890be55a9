/** Which server may receive which key for which folder, as approved by the user. */

import * as vscode from "vscode";
import * as z from "zod";
import { isSafeAddress, originOf } from "../../core/secrets/hostBinding.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { Memento } from "../vscode/memento.ts";
import { answerMemory } from "./answerMemory.ts";
import type { KeyUi } from "./keyUi.ts";

const approvalSchema = z
  .object({
    /** Real path of the folder for which runs are started. */
    folder: z.string(),
    /** `scheme://host`, with a port unless it is the default one. */
    origin: z.string().refine((origin) => originOf(origin) === origin && isSafeAddress(origin)),
    /** Variable name, such as TINKER_API_KEY. */
    key: z.string(),
  })
  .readonly();
export type KeyApproval = z.infer<typeof approvalSchema>;

export interface ApprovalOptions {
  readonly memory: Memento;
  readonly ui: Pick<KeyUi, "confirm">;
}

export type Approvals = ReturnType<typeof createApprovals>;

/** Asks once per folder, origin and key, and remembers approvals until they are withdrawn. */
export function createApprovals({ memory, ui }: ApprovalOptions) {
  const answers = answerMemory<KeyApproval, KeyApproval>({
    memory,
    key: "keys.approvals",
    schema: approvalSchema,
    idOf: ({ folder, origin, key }) => JSON.stringify([folder, origin, key]),
  });
  const has = (wanted: KeyApproval): boolean => answers.find(wanted) !== undefined;
  const confirm = async (wanted: KeyApproval): Promise<boolean> => {
    const [key, origin, folder] = [wanted.key, wanted.origin, wanted.folder].map(plainLabel);
    const isAllowed = await ui.confirm(
      vscode.l10n.t("Send {0} to {1}?", key ?? "", origin ?? ""),
      vscode.l10n.t(
        "A run from {0} would send it there. The owner of {1} can then use the key as you do. Your answer applies to this key, this address and this folder. You can withdraw it in Show Key Status.",
        folder ?? "",
        origin ?? "",
      ),
      vscode.l10n.t("Send to {0}", origin ?? ""),
      vscode.l10n.t("Don't Send"),
    );
    if (isAllowed) await answers.keep(wanted);
    return isAllowed;
  };
  return {
    onDidChange: answers.onDidChange,
    list: answers.list,
    has,
    withdraw: answers.forget,
    /**
     * True if the user approves now or did before. A refusal is not remembered: the next start asks again. Never asks about what cannot be
     * approved: an unencrypted address on another computer.
     */
    ask: async (approval: KeyApproval): Promise<boolean> => {
      if (!approvalSchema.safeParse(approval).success) return false;
      return has(approval) || (await answers.ask(approval, () => confirm(approval)));
    },
    /** Approved origins for trainers of a folder. */
    allowedOrigins: (folder: string): LaunchRequest["allowedOrigins"] =>
      answers
        .list()
        .filter((approval) => approval.folder === folder)
        .map(({ key, origin }) => ({ key, origin })),
  };
}
