import { expect, test } from "vitest";
import { explainS3, isMissingObject } from "./s3-errors.ts";

const attempt = { verb: "read", key: "k", place: 'bucket "b" at http://x' };

function thrown(name: string, extra: object): Error {
  return Object.assign(new Error("words"), { name, ...extra });
}

test.each([
  [thrown("Error", { code: "ECONNREFUSED" }), "STORE_UNREACHABLE", "ECONNREFUSED"],
  [thrown("Error", { code: "ENOTFOUND" }), "STORE_UNREACHABLE", "ENOTFOUND"],
  [thrown("Error", { code: "SELF_SIGNED_CERT_IN_CHAIN" }), "STORE_UNREACHABLE", "SELF_SIGNED"],
  [thrown("TimeoutError", {}), "STORE_UNREACHABLE", "TimeoutError"],
  [thrown("CredentialsProviderError", {}), "STORE_DENIED", "CredentialsProviderError"],
  [thrown("NoSuchKey", { $metadata: { httpStatusCode: 404 } }), "STORE_MISSING", "HTTP 404, NoSuchKey"],
  [thrown("Odd", { $metadata: { httpStatusCode: 500 } }), "STORE_FAILED", "HTTP 500, Odd"],
  ["text", "STORE_FAILED", "text"],
])("explainS3() reads %s", (error, code, want) => {
  const fault = explainS3(error, attempt);
  expect(fault.code).toBe(code);
  expect(fault.message).toContain(`cannot read "k" in bucket "b" at http://x: ${want}`);
});

test("isMissingObject() tells an object from its bucket", () => {
  const meta = { $metadata: { httpStatusCode: 404 } };
  expect(isMissingObject(thrown("NotFound", meta))).toBe(true);
  expect(isMissingObject(thrown("NoSuchBucket", meta))).toBe(false);
});
