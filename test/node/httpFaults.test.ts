import { expect, it } from "vitest";
import { connectionFault } from "../../src/node/httpFaults.ts";

const REQUEST = { method: "GET", url: "https://service.example/" } as const;

it.each(["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"])(
  "a certificate of an unknown issuer (%s) is reported with the variable to set",
  (code) => {
    const error = Object.assign(new Error("self-signed certificate"), { code });
    expect(connectionFault(REQUEST, error).message).toMatch(
      /the address\. Set NODE_EXTRA_CA_CERTS to the file with your organization's certificate\.$/,
    );
  },
);

it("an expired certificate is not a trust problem", () => {
  const error = Object.assign(new Error("it has expired"), { code: "CERT_HAS_EXPIRED" });
  expect(connectionFault(REQUEST, error).message).toMatch(/the address\.$/);
});
