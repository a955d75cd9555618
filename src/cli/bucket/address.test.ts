import { expect, test } from "vitest";
import { readAddress } from "./address.ts";

test.each([
  ["s3://b", { is: "bucket", provider: "aws", bucket: "b", prefix: "" }],
  ["s3://b/", { is: "bucket", provider: "aws", bucket: "b", prefix: "" }],
  ["s3://b/a/c/", { is: "bucket", provider: "aws", bucket: "b", prefix: "a/c" }],
  ["gs://b/a", { is: "bucket", provider: "gcp", bucket: "b", prefix: "a" }],
  ["azblob://b/a", { is: "bucket", provider: "azure", bucket: "b", prefix: "a" }],
  ["/mnt/backups", { is: "folder", path: "/mnt", folder: "backups" }],
  ["/mnt/backups/", { is: "folder", path: "/mnt", folder: "backups" }],
  ["/mnt/../srv/b", { is: "folder", path: "/srv", folder: "b" }],
  ["default", { is: "location", name: "default" }],
])("readAddress(%j)", (text, want) => {
  expect(readAddress(text)).toEqual(want);
});

test("readAddress() takes a relative folder", () => {
  expect(readAddress("./backups")).toEqual({ is: "folder", path: process.cwd(), folder: "backups" });
});

test.each([
  ["", "no folder"],
  ["/", "no folder"],
  ["s3://", "names no bucket"],
  ["s3:///a", "names no bucket"],
  ["ftp://a/b", "is none of s3://"],
  ["-rf", "no name of a location"],
  ["A b", "no name of a location"],
])("readAddress(%j) is refused", (text, words) => {
  expect(() => readAddress(text)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(words) }),
  );
});
