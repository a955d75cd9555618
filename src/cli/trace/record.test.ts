import { resolve } from "node:path";
import { expect, test } from "vitest";
import { isCode } from "../../errors.ts";
import { placeOf } from "./record.ts";

test("placeOf() reads a folder, and a bucket with the keys of the environment", () => {
  expect(placeOf("repo", { env: {} })).toEqual({ kind: "filesystem", path: resolve("repo") });
  const env = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "eu" };
  expect(placeOf("s3:https://store:9000/bucket/some/prefix", { env })).toEqual({
    kind: "s3",
    bucket: "bucket",
    prefix: "some/prefix",
    endpoint: "https://store:9000",
    region: "eu",
    keys: { accessKeyId: "a", secretAccessKey: "s" },
  });
});

test.each(["s3:", "s3:bucket", "s3:https://store"])("placeOf() refuses %s", (text) => {
  expect(() => placeOf(text, { env: {} })).toThrow(
    expect.toSatisfy((error: unknown) => isCode(error, "USAGE")),
  );
});
