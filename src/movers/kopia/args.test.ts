import { expect, test } from "vitest";
import { argumentSuite } from "../../../test/harness/argument-suite.ts";
import {
  backupArgs,
  forgetArgs,
  globalArgs,
  manifestArgs,
  placeVariables,
  repositoryArgs,
  restoreArgs,
} from "./args.ts";

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
  keyFile: undefined,
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

const azure = {
  kind: "azure",
  container: "backups",
  prefix: "p/kopia/shop",
  account: "acc",
  domain: "blob.core.windows.net",
  access: { by: "key", key: "canary-key" },
} as const;

test("a repository of Azure's has upstream's place, and its key is no argument", () => {
  const args = repositoryArgs("connect", azure, connection);
  expect(args.slice(2, 7)).toEqual([
    "azure",
    "--container=backups",
    "--prefix=p/kopia/shop/",
    "--storage-account=acc",
    "--storage-domain=blob.core.windows.net",
  ]);
  expect(args.join(" ")).not.toContain("canary");
  expect(placeVariables(azure, "/ca")).toEqual({ AZURE_STORAGE_KEY: "canary-key", SSL_CERT_FILE: "/ca" });
  const certificate = { by: "certificate", tenant: "t", client: "c", pem: "PEM" } as const;
  expect(placeVariables({ ...azure, access: certificate }, undefined)).toEqual({
    AZURE_CLIENT_CERTIFICATE: "PEM",
  });
});

test("kopia's lack of managed identities is told", () => {
  const managed = { ...azure, access: { by: "managed" } } as const;
  expect(() => repositoryArgs("connect", managed, connection)).toThrow("kopia knows no managed identity");
});

test("a repository of Google's takes its credentials from a file, or from the machine", () => {
  const gcs = { kind: "gcs", bucket: "backups", prefix: "p/kopia/shop", credentials: "canary" } as const;
  const args = repositoryArgs("create", gcs, { ...connection, keyFile: "/s/places/k" });
  expect(args.slice(2, 6)).toEqual([
    "gcs",
    "--bucket=backups",
    "--prefix=p/kopia/shop/",
    "--credentials-file=/s/places/k",
  ]);
  expect(repositoryArgs("create", { ...gcs, prefix: "" }, connection).slice(2, 5)).toEqual([
    "gcs",
    "--bucket=backups",
    "--override-username=default",
  ]);
});
