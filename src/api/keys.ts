/** What an editor of this package asks its server about keys. */

import * as z from "zod";
import { SERVICES, type ServiceId } from "../core/services.ts";

export const KEY_REQUESTS = {
  /** A {@link KeyTestRequest}, answered with the `RequestOutcome` of a {@link KeyTestResult}. Can be canceled. */
  test: "tinkerRL/key/test",
} as const;

export type KeyTestResult =
  | { readonly kind: "works"; readonly host: string }
  /** `status` is null when the service said so in an answer that went well. */
  | { readonly kind: "refused"; readonly host: string; readonly status: number | null }
  /** A good key, whose account has no credit left. */
  | { readonly kind: "no-credit"; readonly host: string }
  /** `reason` is a word such as ECONNREFUSED; null when no answer came in time. */
  | { readonly kind: "unreachable"; readonly host: string; readonly reason: string | null }
  /** An answer that says nothing about the key. */
  | { readonly kind: "unclear"; readonly host: string; readonly status: number }
  /** Nothing was sent. */
  | { readonly kind: "no-address"; readonly host: string }
  | { readonly kind: "not-encrypted"; readonly host: string };

const SERVICE_IDS = Object.keys(SERVICES) as readonly ServiceId[]; // the keys of a record that is written out

export const keyTestSchema = z
  .object({
    service: z.enum(SERVICE_IDS),
    value: z.string(),
    /** The host that it is bound to; null for the official service. It is sent nowhere else. */
    host: z.string().nullable(),
    /** Addresses from the settings. */
    variables: z.record(z.string(), z.string()),
  })
  .readonly();

export type KeyTestRequest = z.infer<typeof keyTestSchema>;
