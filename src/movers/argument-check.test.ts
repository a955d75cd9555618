import { expect, test } from "vitest";
import { folderPath, repositoryAt, snapshotId } from "./argument-check.ts";
import { snapshotForm as kopia } from "./kopia/args.ts";
import { snapshotForm as restic } from "./restic/args.ts";

const forms = { restic, kopia };

// Which words are refused is shown through the builders of arguments, in restic/args.test.ts and kopia/args.test.ts.

test.each([
  ["restic", "0123abcd"],
  ["restic", "a".repeat(64)],
  ["kopia", "00112233445566778899aabbccddeeff"],
] as const)("snapshotId() takes what %s gives: %s", (kind, id) => {
  expect(snapshotId(kind, id, forms[kind])).toBe(id);
});

test.each([
  ["restic", "0123abc"],
  ["restic", "a".repeat(65)],
  ["kopia", "0123abcd"],
  ["kopia", `k${"0".repeat(32)}`],
] as const)("snapshotId() of %s refuses %s", (kind, id) => {
  expect(() => snapshotId(kind, id, forms[kind])).toThrow(
    expect.objectContaining({ code: "MOVER_ARGUMENT", retry: false }),
  );
});

test("what was found is quoted and shortened", () => {
  expect(() => folderPath(`x\n${"y".repeat(500)}`)).toThrow(/^"x\\ny{78}…" cannot be a folder$/);
});

test("repositoryAt() takes real places", () => {
  for (const endpoint of [
    "https://s3.eu-central-1.amazonaws.com",
    "http://[::1]:9000",
    "https://host/path",
  ]) {
    const place = { kind: "s3", bucket: "my.bucket-1", prefix: "a b/ä/kopia/shop", endpoint } as const;
    expect(repositoryAt(place)).toBe(place);
  }
});

const azure = {
  kind: "azure",
  container: "backups",
  prefix: "p",
  account: "acc",
  domain: "blob.core.windows.net",
  access: { by: "managed" },
} as const;
const gcs = { kind: "gcs", bucket: "backups", prefix: "p" } as const;

test("repositoryAt() takes places of clouds", () => {
  expect(repositoryAt(azure)).toBe(azure);
  expect(repositoryAt(gcs)).toBe(gcs);
});

test.each([
  { ...azure, container: "a:b" },
  { ...azure, container: "--x" },
  { ...azure, prefix: "../other" },
  { ...azure, account: "acc.evil.example/" },
  { ...azure, domain: "d/../x" },
  { ...azure, domain: "-x" },
  { ...azure, login: "file:///etc" },
  { ...gcs, bucket: "a:b" },
  { ...gcs, prefix: "a//b" },
])("repositoryAt() refuses %j", (place) => {
  expect(() => repositoryAt(place)).toThrow(expect.objectContaining({ code: "MOVER_ARGUMENT" }));
});
