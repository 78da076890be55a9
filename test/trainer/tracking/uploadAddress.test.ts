import { describe, expect, it } from "vitest";
import type { AllowedOrigin } from "../../../src/core/secrets/hostBinding.ts";
import { uploadAddress } from "../../../src/trainer/tracking/uploadAddress.ts";
import { type FoundIn, variablesOf } from "../services/variablesOf.ts";

interface Setting extends FoundIn {
  readonly allowedOrigins?: readonly AllowedOrigin[];
}

function address({ allowedOrigins = [], ...found }: Setting) {
  const config = { openreward_upload: true, openreward_upload_evaluations: false };
  return uploadAddress({ config, variables: variablesOf(found), allowedOrigins });
}

const KEY = { OPENREWARD_API_KEY: "or_1" };

describe("the address of uploads", () => {
  it("is null when nothing is uploaded, with or without a key", () => {
    const config = { openreward_upload: false, openreward_upload_evaluations: false };
    expect(uploadAddress({ config, variables: () => null, allowedOrigins: [] })).toBeNull();
  });

  it("is OpenReward's, or set by a variable", () => {
    expect(address({ process: KEY })).toMatchObject({ url: "https://api.openreward.ai" });
    const web = { ...KEY, OPENREWARD_URL: "https://mine.test:9000" };
    expect(address({ process: web })).toMatchObject({ url: "https://api.mine.test:9000" });
    const own = { ...web, OPENREWARD_API_URL: "http://127.0.0.1:9000" };
    expect(address({ process: own })).toMatchObject({ url: "http://127.0.0.1:9000", key: "or_1" });
  });

  it("requires OpenReward's key, which the message names", () => {
    const other = { ORS_API_KEY: "ors_1" };
    expect(() => address({ process: other })).toThrow(
      /openreward_upload: true .* OPENREWARD_API_KEY/,
    );
  });

  it("is required for the rollouts of evaluations alone, too", () => {
    const config = { openreward_upload: false, openreward_upload_evaluations: true };
    expect(() => uploadAddress({ config, variables: () => null, allowedOrigins: [] })).toThrow(
      /^openreward_upload_evaluations: true .* OPENREWARD_API_KEY/,
    );
  });

  it("gets no key from elsewhere if .env sets it, unless the host is allowed", () => {
    const setting = { process: KEY, dotenv: { OPENREWARD_API_URL: "https://one.test" } };
    expect(() => address(setting)).toThrow(/--allow-host https:\/\/one\.test/);
    const allowedOrigins = [{ origin: "https://one.test", key: null }];
    expect(address({ ...setting, allowedOrigins })).toMatchObject({ key: "or_1" });
  });

  it("gets no stored key for another host", () => {
    const store = { OPENREWARD_API_KEY: { value: "or_1", host: null } };
    expect(address({ store })).toMatchObject({ key: "or_1" });
    const elsewhere = { store, process: { OPENREWARD_API_URL: "https://two.test" } };
    expect(() => address(elsewhere)).toThrow(/OPENREWARD_API_KEY .* is for/);
    const allowedOrigins = [{ origin: "https://two.test", key: "OPENREWARD_API_KEY" }];
    expect(address({ ...elsewhere, allowedOrigins })).toMatchObject({ url: "https://two.test" });
  });
});

it("an upload key is not sent over plain http", () => {
  const process = { OPENREWARD_API_KEY: "or_1", OPENREWARD_API_URL: "http://api.openreward.ai" };
  expect(() => address({ process })).toThrow(/unencrypted/);
});
