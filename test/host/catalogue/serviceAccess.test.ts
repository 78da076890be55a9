import { describe, expect, it, vi } from "vitest";
import {
  accessForCompletion,
  accessNow,
  type ServiceAccessOptions,
} from "../../../src/host/catalogue/serviceAccess.ts";
import type { KeyId } from "../../../src/host/keys/keyNames.ts";
import type { RequestedKey } from "../../../src/shared/control.ts";

const TINKER: RequestedKey = { value: "tml-own", origin: "store", host: null };
const OPENREWARD: RequestedKey = { value: "or-own", origin: "store", host: null };

interface Given {
  readonly keys?: Partial<Record<KeyId, RequestedKey>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly isTrusted?: boolean;
  readonly isGiven?: boolean;
  readonly answersYes?: boolean;
}

function anAccess({
  keys = { tinker: TINKER, openreward: OPENREWARD },
  variables = {},
  isTrusted = true,
  isGiven = true,
  answersYes = false,
}: Given = {}) {
  const ask = vi.fn(async () => answersYes);
  const options: ServiceAccessOptions = {
    keys: {
      sources: { valueFor: async (id) => keys[id] ?? null },
      variables: () => variables,
    },
    permission: { isGiven: () => isGiven, ask },
    isTrusted: () => isTrusted,
  };
  return { options, ask };
}

describe("the credentials for service requests", () => {
  it("include the key of the requested service, and variables that set service addresses", async () => {
    const variables = { TINKER_BASE_URL: "", UNRELATED: "1" };
    const { options } = anAccess({ variables });
    expect(await accessNow(["environments"], options)).toEqual({
      keys: { OPENREWARD_API_KEY: OPENREWARD },
      variables: { TINKER_BASE_URL: "" },
    });
    expect((await accessNow(["models", "checkpoints"], options))?.keys).toEqual({
      TINKER_API_KEY: TINKER,
    });
  });

  it("leave out a key that is bound to another host than the one in use", async () => {
    const variables = { TINKER_BASE_URL: "https://stranger.example" };
    const { options } = anAccess({ variables });
    expect(await accessNow(["models"], options)).toEqual({ keys: {}, variables });
  });

  it("are empty in Restricted Mode, without a prompt", async () => {
    const { options, ask } = anAccess({ isTrusted: false, isGiven: false });
    expect(await accessNow(["environments"], options)).toBeNull();
    expect(await accessForCompletion(["environments"], options)).toBeNull();
    expect(ask).not.toHaveBeenCalled();
  });
});

describe("the credentials for completion", () => {
  it("are empty before the user has agreed", async () => {
    const refused = anAccess({ isGiven: false });
    expect(await accessForCompletion(["models"], refused.options)).toBeNull();
    expect(refused.ask).toHaveBeenCalledTimes(1);
    const allowed = anAccess({ isGiven: false, answersYes: true });
    expect(await accessForCompletion(["models"], allowed.options)).not.toBeNull();
  });

  it("cause no prompt when no service could answer", async () => {
    const { options, ask } = anAccess({ keys: {}, isGiven: false });
    expect(await accessForCompletion(["models"], options)).toBeNull();
    expect(ask).not.toHaveBeenCalled();
  });
});
