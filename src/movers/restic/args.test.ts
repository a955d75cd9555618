import { expect, test } from "vitest";
import { argumentSuite } from "../../../test/harness/argument-suite.ts";
import {
  backupArgs,
  forgetArgs,
  globalArgs,
  placeVariables,
  repositoryUrl,
  restoreArgs,
  statsArgs,
} from "./args.ts";

argumentSuite({
  kind: "restic",
  takes: ["place", "snapshot", "parent", "tag"],
  build: ({ repository, path, source, tags, parent, parallel, snapshotId }) => [
    globalArgs(repository.place, "/cache", undefined),
    backupArgs({ repository, path, source, tags, parent, parallel }, true),
    restoreArgs({ repository, snapshotId, path }, { speaks: true, sparse: true }),
    statsArgs(snapshotId),
    forgetArgs(snapshotId),
  ],
});

const keys = { accessKeyId: "canary-id", secretAccessKey: "canary-secret" };
const s3 = { kind: "s3", bucket: "b", prefix: "p/restic/shop", keys } as const;

const azure = {
  kind: "azure",
  container: "backups",
  prefix: "p/restic/shop",
  account: "acc",
  domain: "blob.core.windows.net",
  access: { by: "key", key: "canary-key" },
} as const;
const gcs = { kind: "gcs", bucket: "backups", prefix: "p/restic/shop", credentials: "canary" } as const;

test.each([
  [{ kind: "filesystem", path: "/data/restic/shop" } as const, "/data/restic/shop"],
  [{ ...s3, endpoint: "http://minio:9000" }, "s3:http://minio:9000/b/p/restic/shop"],
  [{ ...s3, region: "eu-central-1" }, "s3:s3-eu-central-1.amazonaws.com/b/p/restic/shop"],
  [{ ...s3, prefix: "" }, "s3:s3-us-east-1.amazonaws.com/b"],
  [azure, "azure:backups:/p/restic/shop"],
  [gcs, "gs:backups:/p/restic/shop"],
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
        parent: "0123abcd",
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
    "--tag=backup=b1",
    "--tag=ns=shop",
    "--host=velero",
    "--json",
    "--parent=0123abcd",
    "--read-concurrency=4",
    "--",
    ".",
  ]);
  const request = { repository, snapshotId: "0123abcd", path: "/v", sparse: true };
  expect(restoreArgs(request, { speaks: true, sparse: true })).toEqual([
    "restore",
    "--target=.",
    "--sparse",
    "--json",
    "--",
    "0123abcd",
  ]);
});

test("what a version cannot do is not asked of it", () => {
  const repository = { place: s3, password: "" };
  const backup = { repository, path: "/v", source: "s", tags: {}, parallel: 4 };
  expect(backupArgs(backup, false)).toEqual(["backup", "--host=velero", "--json", "--", "."]);
  const restore = { repository, snapshotId: "0123abcd", path: "/v", sparse: true };
  expect(restoreArgs(restore, { speaks: false, sparse: false })).toEqual([
    "restore",
    "--target=.",
    "--",
    "0123abcd",
  ]);
});

test("the keys of a cloud go through the environment, as upstream's do", () => {
  const common = { AZURE_ACCOUNT_NAME: "acc", AZURE_ENDPOINT_SUFFIX: "core.windows.net" };
  expect(placeVariables(azure, undefined)).toEqual({ ...common, AZURE_ACCOUNT_KEY: "canary-key" });
  const certificate = { by: "certificate", tenant: "t", client: "c", pem: "canary" } as const;
  expect(placeVariables({ ...azure, access: certificate }, "/k")).toEqual({
    ...common,
    AZURE_CLIENT_CERTIFICATE_PATH: "/k",
  });
  expect(placeVariables(gcs, "/k")).toEqual({ GOOGLE_APPLICATION_CREDENTIALS: "/k" });
  expect(globalArgs(azure, "/cache", "/ca.pem").join(" ")).not.toContain("canary");
  expect(() => placeVariables({ ...azure, domain: "store.example" }, undefined)).toThrow(
    "restic reaches blobs only at https://<account>.blob.<domain>",
  );
});
