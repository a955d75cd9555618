import { expect, test } from "vitest";
import { exitCodeOf } from "../errors.ts";
import { isTrust, isUnsent, unreachable } from "./unreachable.ts";

const failure = (code: string, message = "low level text") => Object.assign(new Error(message), { code });

test.each([
  ["ECONNREFUSED", "the connection was refused", true, false],
  ["ECONNRESET", "the connection was reset", false, false],
  ["ENOTFOUND", "the host name is not known", true, false],
  ["ETIMEDOUT", "there was no answer in time", false, false],
  ["CERT_HAS_EXPIRED", "its certificate has expired", true, true],
  ["SELF_SIGNED_CERT_IN_CHAIN", "its certificate is not trusted: low level text", true, true],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is not trusted: low level text", true, true],
  ["EODD", "low level text", false, false],
])("unreachable() says why: %s", (code, why, unsent, trust) => {
  const cause = failure(code);
  const error = unreachable({ context: "prod", server: "https://10.0.0.1:6443" }, cause);
  expect(error.message).toBe(`cannot reach the cluster of context "prod" at "https://10.0.0.1:6443": ${why}`);
  expect(error).toMatchObject({ code: "KUBE_UNREACHABLE", cause });
  expect(exitCodeOf(error)).toBe(3);
  expect([isUnsent(cause), isTrust(cause)]).toEqual([unsent, trust]);
});
