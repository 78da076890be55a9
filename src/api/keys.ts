/** Requests from this extension to its server about keys. */

import * as z from "zod";
import { SERVICES, type ServiceId } from "../core/services.ts";

export const KEY_REQUESTS = {
  /** A {@link KeyTestRequest}, answered with the `RequestOutcome` of a {@link KeyTestResult}. Cancelable. */
  test: "tinkerRL/key/test",
} as const;

export type KeyTestResult =
  | { readonly kind: "works"; readonly host: string }
  /** `status` is null if the service refused in an otherwise successful answer. */
  | { readonly kind: "refused"; readonly host: string; readonly status: number | null }
  /** The key is valid, but its account has no credit left. */
  | { readonly kind: "no-credit"; readonly host: string }
  /** `reason` is an error code such as ECONNREFUSED; null for a timeout. */
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
    /** The host that the key is bound to; null for the official service. It is sent to no other host. */
    host: z.string().nullable(),
    /** Addresses from the settings. */
    variables: z.record(z.string(), z.string()),
  })
  .readonly();

export type KeyTestRequest = z.infer<typeof keyTestSchema>;
