import { expect, test } from "vitest";
import { atLeast, backupArgs, globalArgs, repositoryUrl, restoreArgs } from "./args.ts";

const keys = { accessKeyId: "canary-id", secretAccessKey: "canary-secret" };
const s3 = { kind: "s3", bucket: "b", prefix: "p/restic/shop", keys } as const;

test.each([
  [{ kind: "filesystem", path: "/data/restic/shop" } as const, "/data/restic/shop"],
  [{ ...s3, endpoint: "http://minio:9000" }, "s3:http://minio:9000/b/p/restic/shop"],
  [{ ...s3, region: "eu-central-1" }, "s3:s3-eu-central-1.amazonaws.com/b/p/restic/shop"],
  [{ ...s3, prefix: "" }, "s3:s3-us-east-1.amazonaws.com/b"],
])("repositoryUrl() of %j is upstream's", (place, want) => {
  expect(repositoryUrl(place)).toBe(want);
});

test("the arguments are upstream's and hold nothing secret", () => {
  const repository = { place: s3, password: "canary-password" };
  const args = [
    ...globalArgs({ ...s3, skipVerify: true }, "/cache", "/ca.pem"),
    ...backupArgs(
      {
        repository,
        path: "/v",
        source: "s",
        tags: { backup: "b1", ns: "shop" },
        parent: "abc",
        parallel: 4,
      },
      true,
    ),
  ];
  expect(args).toEqual([
    "--repo=s3:s3-us-east-1.amazonaws.com/b/p/restic/shop",
    "--cache-dir=/cache",
    "--cacert=/ca.pem",
    "--insecure-tls",
    "backup",
    ".",
    "--tag=backup=b1",
    "--tag=ns=shop",
    "--host=velero",
    "--json",
    "--parent=abc",
    "--read-concurrency=4",
  ]);
  const request = { repository, snapshotId: "abc", path: "/v", sparse: true };
  expect(restoreArgs(request, { speaks: true, sparse: true })).toEqual([
    "restore",
    "abc",
    "--target=.",
    "--sparse",
    "--json",
  ]);
});

test("what a version cannot do is not asked of it", () => {
  const repository = { place: s3, password: "" };
  const backup = { repository, path: "/v", source: "s", tags: {}, parallel: 4 };
  expect(backupArgs(backup, false)).toEqual(["backup", ".", "--host=velero", "--json"]);
  const restore = { repository, snapshotId: "abc", path: "/v", sparse: true };
  expect(restoreArgs(restore, { speaks: false, sparse: false })).toEqual(["restore", "abc", "--target=."]);
});

test.each([
  ["0.17.0", true],
  ["0.18.1", true],
  ["1.0.0", true],
  ["0.16.4", false],
  ["0.14", false],
  ["?", false],
])("atLeast() puts %s against 0.17", (version, want) => {
  expect(atLeast(version, 0, 17)).toBe(want);
});
