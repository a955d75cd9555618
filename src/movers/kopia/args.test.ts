import { expect, test } from "vitest";
import { argumentSuite } from "../../../test/harness/argument-suite.ts";
import { backupArgs, forgetArgs, globalArgs, manifestArgs, repositoryArgs, restoreArgs } from "./args.ts";

argumentSuite({
  kind: "kopia",
  takes: ["place", "snapshot", "tag", "path", "source"],
  build: ({ repository, path, source, tags, parallel, snapshotId }) => [
    repositoryArgs("connect", repository.place, connection),
    repositoryArgs("create", repository.place, connection),
    backupArgs({ repository, path, source, tags, parallel }),
    restoreArgs({ repository, snapshotId, path, parallel }, true),
    manifestArgs(snapshotId),
    forgetArgs(snapshotId),
  ],
});

const keys = { accessKeyId: "canary-id", secretAccessKey: "canary-secret" };
const s3 = { kind: "s3", bucket: "b", prefix: "p/kopia/shop", region: "eu", keys } as const;
const connection = {
  config: "/s/c.config",
  cache: "/s/c.cache",
  caFile: "/s/c.pem",
  cacheBytes: 1_000_000_000,
};

test.each([
  ["http://minio:9000", ["--endpoint=minio:9000", "--region=eu", "--disable-tls"]],
  ["https://minio", ["--endpoint=minio", "--region=eu"]],
])("repositoryArgs() opens upstream's repository at %s", (endpoint, some) => {
  expect(repositoryArgs("connect", { ...s3, endpoint }, connection)).toEqual([
    "repository",
    "connect",
    "s3",
    "--bucket=b",
    "--prefix=p/kopia/shop/",
    ...some,
    "--root-ca-pem-path=/s/c.pem",
    "--override-username=default",
    "--override-hostname=default",
    "--cache-directory=/s/c.cache",
    "--content-cache-size-limit-mb=800",
    "--metadata-cache-size-limit-mb=200",
    "--no-check-for-updates",
  ]);
});

test("repositoryArgs() takes a folder", () => {
  const args = repositoryArgs("create", { kind: "filesystem", path: "/data/kopia/shop" }, connection);
  expect(args.slice(0, 4)).toEqual(["repository", "create", "filesystem", "--path=/data/kopia/shop"]);
});

test("backups carry upstream's identity, and no argument a secret", () => {
  const repository = { place: s3, password: "canary-password" };
  const args = backupArgs({ repository, path: "/v", source: "s/o", tags: { ns: "shop" }, parallel: 3 });
  expect(args).toEqual([
    "snapshot",
    "create",
    "--json",
    "--progress-update-interval=500ms",
    "--description=Kopia Uploader",
    "--pin=velero-pin",
    "--override-source=default@default:s/o",
    "--tags=ns:shop",
    "--parallel=3",
    "--",
    "/v",
  ]);
  const restore = restoreArgs(
    { repository, snapshotId: "00112233445566778899aabbccddeeff", path: "/v", sparse: true },
    true,
  );
  expect(restore).toContain("--no-ignore-permission-errors");
  expect(restore).toContain("--write-sparse-files");
  const all = [
    ...args,
    ...restore,
    ...globalArgs("/s/c.config"),
    ...repositoryArgs("connect", s3, connection),
  ];
  expect(all.join(" ")).not.toContain("canary");
});
