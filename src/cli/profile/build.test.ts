import { expect, test } from "vitest";
import { buildProfile } from "./build.ts";

const build = (args: readonly string[], flags: Record<string, string>, env: Record<string, string> = {}) =>
  buildProfile({ args, flags }, "kanister", env, () => "abcdef");

test("buildProfile() makes a profile of S3 with its Secret; keys may come from the environment", () => {
  const env = { AWS_ACCESS_KEY_ID: "ID", AWS_SECRET_ACCESS_KEY: "KEY" };
  const { profile, secret } = build(["s3compliant"], { bucket: "b", region: "eu", mover: "restic" }, env);
  expect(profile).toEqual({
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Profile",
    metadata: {
      name: "s3-profile-abcdef",
      namespace: "kanister",
      annotations: { "headway.dev/data-mover": "restic" },
    },
    location: { type: "s3Compliant", bucket: "b", endpoint: "", prefix: "", region: "eu" },
    credential: {
      type: "keyPair",
      keyPair: {
        idField: "aws_access_key_id",
        secretField: "aws_secret_access_key",
        secret: { name: "s3-secret-abcdef", namespace: "kanister" },
      },
    },
    skipSSLVerify: false,
  });
  expect(secret?.stringData).toEqual({ aws_access_key_id: "ID", aws_secret_access_key: "KEY" });
});

test("buildProfile() of a folder needs no Secret", () => {
  const { profile, secret } = build(["filesystem", "local"], { bucket: "b", endpoint: "/mnt" });
  expect(secret).toBeUndefined();
  expect(profile).toMatchObject({
    metadata: { name: "local" },
    location: { type: "filesystem", endpoint: "/mnt" },
  });
  expect(profile).not.toHaveProperty("credential");
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ["an unknown type", ["ftp"], {}, 'type "ftp"'],
  ["no key", ["s3compliant"], { bucket: "b" }, "--access-key"],
  ["no file", ["gcp"], { bucket: "b" }, "--service-key"],
  ["a file that is not there", ["gcp"], { "service-key": "/no/such/file", "project-id": "p" }, "cannot read"],
  ["no account", ["azure"], {}, "--storage-account"],
])("buildProfile() refuses %s", (_what, args, flags, words) => {
  expect(() => build(args, flags)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(words) }),
  );
});
