import { expect, it } from "vitest";
import { proxyPasswords } from "../../src/node/proxyPasswords.ts";

it("finds the passwords in the addresses of proxies, as written and as meant", () => {
  const variables = {
    HTTPS_PROXY: "http://ada:p%40ss-word@proxy:8080",
    http_proxy: "http://proxy",
  };
  expect(proxyPasswords(variables)).toEqual(["p%40ss-word", "p@ss-word", "ada:p@ss-word"]);
});

it("takes what cannot be read as it stands", () => {
  expect(
    proxyPasswords({ HTTP_PROXY: "http://ada:100%@proxy", HTTPS_PROXY: "proxy:8080" }),
  ).toEqual(["100%", "100%", "ada:100%"]);
});
