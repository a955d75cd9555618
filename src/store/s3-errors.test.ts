import { expect, test } from "vitest";
import { explainS3, isMissingObject } from "./s3-errors.ts";

const attempt = { verb: "read", key: "k", place: 'bucket "b" at http://x' };

function thrown(name: string, extra: object): Error {
  return Object.assign(new Error("words"), { name, ...extra });
}

test.each([
  [
    thrown("Error", { code: "ECONNREFUSED" }),
    "STORE_UNREACHABLE",
    'nobody listens at this address; correct the config key "s3Url" or start the store (ECONNREFUSED, words)',
  ],
  [
    thrown("Error", { code: "ENOTFOUND" }),
    "STORE_UNREACHABLE",
    'no host of this name is known; correct the config key "s3Url" (ENOTFOUND, words)',
  ],
  [
    thrown("Error", { code: "SELF_SIGNED_CERT_IN_CHAIN" }),
    "STORE_UNREACHABLE",
    "the certificate is not trusted; put its authority into spec.objectStorage.caCert",
  ],
  [thrown("Error", { code: "ECONNRESET" }), "STORE_UNREACHABLE", "ECONNRESET, words"],
  [thrown("TimeoutError", {}), "STORE_UNREACHABLE", "no answer in time; check the address and the network"],
  [
    thrown("CredentialsProviderError", {}),
    "STORE_DENIED",
    "there are no credentials; name a Secret in spec.credential",
  ],
  [
    thrown("NoSuchBucket", at(404)),
    "STORE_MISSING",
    "the bucket does not exist; create it or correct spec.objectStorage.bucket (HTTP 404, NoSuchBucket, words)",
  ],
  [
    thrown("SignatureDoesNotMatch", at(403)),
    "STORE_DENIED",
    "the credentials are wrong; correct the Secret of the location",
  ],
  [thrown("InvalidAccessKeyId", at(403)), "STORE_DENIED", "the credentials are wrong"],
  [
    thrown("ExpiredToken", at(400)),
    "STORE_DENIED",
    "the credentials have expired; put new ones into the Secret of the location",
  ],
  [
    thrown("AccessDenied", at(403)),
    "STORE_DENIED",
    "the credentials are not allowed to do this (HTTP 403, AccessDenied, words)",
  ],
  [
    thrown("ObjectLocked", at(403)),
    "STORE_DENIED",
    "the bucket is locked: what was written stays until its retention ends (HTTP 403, ObjectLocked, words)",
  ],
  [
    thrown("AccessDenied", {
      ...at(403),
      message: "Access Denied because object protected by object lock.",
    }),
    "STORE_DENIED",
    "the bucket is locked: what was written stays until its retention ends",
  ],
  [
    thrown("InvalidRequest", {
      ...at(400),
      message:
        "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters",
    }),
    "STORE_CONFIG",
    'the bucket is locked, and takes only what has a checksum; remove the config key "checksumAlgorithm"',
  ],
  [
    thrown("AuthorizationHeaderMalformed", at(400)),
    "STORE_CONFIG",
    'the bucket is in another region; correct the config key "region"',
  ],
  [
    thrown("RequestTimeTooSkewed", at(403)),
    "STORE_DENIED",
    "the clocks of this machine and of the store differ",
  ],
  [thrown("NoSuchKey", at(404)), "STORE_MISSING", "HTTP 404, NoSuchKey"],
  [thrown("Odd", at(500)), "STORE_FAILED", "HTTP 500, Odd"],
  ["text", "STORE_FAILED", "text"],
])("explainS3() reads %s as %s: %s", (error, code, want) => {
  const fault = explainS3(error, attempt);
  expect(fault.code).toBe(code);
  expect(fault.message).toContain(`cannot read "k" in bucket "b" at http://x: ${want}`);
});

function at(httpStatusCode: number): object {
  return { $metadata: { httpStatusCode } };
}

test("isMissingObject() tells an object from its bucket", () => {
  const meta = { $metadata: { httpStatusCode: 404 } };
  expect(isMissingObject(thrown("NotFound", meta))).toBe(true);
  expect(isMissingObject(thrown("NoSuchBucket", meta))).toBe(false);
});
