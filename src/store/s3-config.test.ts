import { expect, test } from "vitest";
import { s3Settings } from "./s3-config.ts";

const spec = { bucket: "b", config: {} };

test("s3Settings() has upstream's defaults", () => {
  expect(s3Settings(spec)).toEqual({
    bucket: "b",
    region: "us-east-1",
    pathStyle: false,
    skipVerify: false,
    checksum: "CRC32",
    writing: {},
    keyed: {},
  });
});

test("s3Settings() takes what a location says", () => {
  const settings = s3Settings({
    bucket: "b",
    caCert: "PEM",
    credentials: "[two]\naws_access_key_id = a\naws_secret_access_key = s\n",
    config: {
      region: "eu-central-1",
      s3ForcePathStyle: "true",
      s3Url: "https://minio.example/",
      publicUrl: "https://public.example",
      insecureSkipTLSVerify: "true",
      profile: "two",
      checksumAlgorithm: "",
      serverSideEncryption: "AES256",
      signatureVersion: "4",
    },
  });
  expect(settings).toEqual({
    bucket: "b",
    region: "eu-central-1",
    pathStyle: true,
    skipVerify: true,
    endpoint: "https://minio.example",
    publicEndpoint: "https://public.example",
    credentials: { accessKeyId: "a", secretAccessKey: "s" },
    profile: "two",
    caCert: "PEM",
    writing: { ServerSideEncryption: "AES256" },
    keyed: {},
  });
});

test.each([
  [{ bucket: "" }, {}, "no name"],
  [{ bucket: "a/b" }, {}, "prefix"],
  [{}, { s3url: "x" }, '"s3url"'],
  [{}, { s3Url: "minio:9000" }, "http"],
  [{}, { s3Url: "https://user:canary@minio" }, "must not hold credentials"],
  [{}, { s3ForcePathStyle: "yes" }, '"yes"'],
  [{}, { signatureVersion: "1" }, '"1"'],
  [{}, { checksumAlgorithm: "MD5" }, '"MD5"'],
  [{}, { customerKeyEncryptionSecret: "secret/key" }, "was not read"],
  [{ customerKey: Buffer.alloc(31) }, {}, "31 bytes"],
  [{ customerKey: Buffer.alloc(32) }, { kmsKeyId: "k" }, "exclude"],
  [{ credentials: "[default]\naws_access_key_id=a\n" }, {}, "aws_secret_access_key"],
  [{ credentials: "" }, {}, 'no profile "default"'],
])("s3Settings() refuses %j %j", (change, config, want) => {
  let fault: unknown;
  try {
    s3Settings({ ...spec, ...change, config });
  } catch (error) {
    fault = error;
  }
  expect(fault).toMatchObject({ code: "STORE_CONFIG", retry: false, message: expect.stringContaining(want) });
  expect(String(fault)).not.toContain("canary");
});

test("an ARN may hold a slash", () => {
  const bucket = "arn:aws:s3:eu-central-1:1:accesspoint/mine";
  expect(s3Settings({ bucket, config: {} }).bucket).toBe(bucket);
});
