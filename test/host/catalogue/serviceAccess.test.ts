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
    permission: { isGiven, ask },
    isTrusted: () => isTrusted,
  };
  return { options, ask };
}

describe("what the server may ask services with", () => {
  it("is the key of the service that is asked, and variables that lead to services", async () => {
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

  it("leaves out a key that is bound to another host than the one that is used", async () => {
    const variables = { TINKER_BASE_URL: "https://stranger.example" };
    const { options } = anAccess({ variables });
    expect(await accessNow(["models"], options)).toEqual({ keys: {}, variables });
  });

  it("is nothing in Restricted Mode, where the user is not asked either", async () => {
    const { options, ask } = anAccess({ isTrusted: false, isGiven: false });
    expect(await accessNow(["environments"], options)).toBeNull();
    expect(await accessForCompletion(["environments"], options)).toBeNull();
    expect(ask).not.toHaveBeenCalled();
  });
});

describe("what completion may ask services with", () => {
  it("is nothing before the user has said yes", async () => {
    const refused = anAccess({ isGiven: false });
    expect(await accessForCompletion(["models"], refused.options)).toBeNull();
    expect(refused.ask).toHaveBeenCalledTimes(1);
    const allowed = anAccess({ isGiven: false, answersYes: true });
    expect(await accessForCompletion(["models"], allowed.options)).not.toBeNull();
  });

  it("does not bother the user where no service could answer", async () => {
    const { options, ask } = anAccess({ keys: {}, isGiven: false });
    expect(await accessForCompletion(["models"], options)).toBeNull();
    expect(ask).not.toHaveBeenCalled();
  });
});
