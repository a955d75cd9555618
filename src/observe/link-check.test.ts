import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../api/index.ts";
import type { Client } from "../kube/index.ts";
import { checkLink, linkFault } from "./link-check.ts";

function location(provider: string, config: Record<string, string> = {}): BackupStorageLocation {
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace: "velero" },
    spec: { provider, config, objectStorage: { bucket: "backups" } },
  } as BackupStorageLocation;
}

const minio = { region: "minio", s3ForcePathStyle: "true", s3Url: "http://minio.minio.svc:9000" };
const own = "location=default&key=backups%2Fa%2Fa-logs.gz&expires=1&signature=s";

test.each([
  ["aws", minio, "http://minio.minio.svc:9000/backups/backups/a/a-logs.gz?X-Amz-Signature=1"],
  [
    "velero.io/aws",
    { ...minio, publicUrl: "https://s3.example" },
    "https://s3.example/backups/a?X-Amz-Signature=1",
  ],
  ["aws", { s3Url: "https://s3.example:8443" }, "https://backups.s3.example:8443/a?X-Amz-Signature=1"],
  ["aws", { region: "eu-central-1" }, "https://backups.s3.eu-central-1.amazonaws.com/a?X-Amz-Signature=1"],
  ["aws", {}, "https://backups.s3.amazonaws.com/a?X-Amz-Signature=1"],
  ["aws", { s3ForcePathStyle: "true" }, "https://s3.us-east-1.amazonaws.com/backups/a"],
  ["aws", { region: "cn-north-1" }, "https://backups.s3.cn-north-1.amazonaws.com.cn/a"],
  ["aws", {}, "https://backups.s3.dualstack.us-west-2.amazonaws.com/a"],
  ["velero.io/gcp", {}, "https://storage.googleapis.com/backups/a?X-Goog-Signature=1"],
  ["velero.io/azure", { storageAccount: "acc" }, "https://acc.blob.core.windows.net/backups/a?sig=1"],
  ["example.com/x", { endpoint: "https://store.example" }, "https://store.example/backups/a"],
  ["filesystem", { path: "/mnt" }, `http://127.0.0.1:4711/download?${own}`],
])("linkFault() takes a link of a %s location %j: %s", (provider, config, link) => {
  expect(linkFault(link, location(provider, config as Record<string, string>))).toBeUndefined();
});

test.each([
  ["http://169.254.169.254/latest/meta-data/", "169.254.169.254"],
  ["https://kubernetes.default.svc/api", "kubernetes.default.svc"],
  ["http://minio.minio.svc:9001/backups/a", "minio.minio.svc:9001"],
  ["https://minio.minio.svc:9000/backups/a", "minio.minio.svc:9000"],
  ["http://evil.minio.minio.svc:9000/backups/a", "evil.minio.minio.svc:9000"],
  ["https://backups.s3.amazonaws.com/a", "backups.s3.amazonaws.com"],
  ["http://minio.minio.svc:9000@evil.example/a", "holds a password"],
  ["file:///etc/passwd", "no web address"],
  ["//", "no web address"],
  ["http://10.0.0.1/download?location=other&key=k&expires=1&signature=s", "10.0.0.1"],
  ["http://10.0.0.1/download", "10.0.0.1"],
])("linkFault() refuses %s for a location elsewhere", (link, why) => {
  expect(linkFault(link, location("aws", minio))).toContain(why);
});

test.each([
  ["http://backups.s3.amazonaws.com/a"],
  ["https://backups.s3.amazonaws.com.evil.example/a"],
  ["https://evil.example/s3.amazonaws.com"],
  ["https://ec2.amazonaws.com/"],
  ["https://backups.s3.amazonaws.com:8443/a"],
])("linkFault() refuses %s for a location at AWS", (link) => {
  expect(linkFault(link, location("aws"))).toContain("leads to");
});

test("linkFault() takes only the links of its own listener where it knows that", () => {
  const files = location("filesystem", { path: "/mnt" });
  const known = (base: string | undefined) =>
    linkFault(`http://127.0.0.1:4711/download?${own}`, files, () => base);
  expect(known("http://127.0.0.1:4711")).toBeUndefined();
  expect(known("http://127.0.0.1:4712")).toContain("127.0.0.1:4711");
  expect(known(undefined)).toContain("127.0.0.1:4711");
});

test.each([
  ["BackupLog", "b", ["Backup/b", "BackupStorageLocation/default"]],
  ["RestoreLog", "r", ["Restore/r", "Backup/b", "BackupStorageLocation/default"]],
])("checkLink() finds the location of %s, and refuses what leads elsewhere", async (kind, name, want) => {
  const asked: string[] = [];
  const client = {
    get: async (resource: { readonly kind: string }, of: string) => {
      asked.push(`${resource.kind}/${of}`);
      if (resource.kind === "BackupStorageLocation") return location("aws", minio);
      return { spec: { backupName: "b", storageLocation: "default" } };
    },
  } as unknown as Client; // what it uses of one
  const { signal } = new AbortController();
  const target = { kind, name, namespace: "velero" };
  await checkLink({ client }, target, "http://minio.minio.svc:9000/backups/a", signal);
  expect(asked).toEqual(want);
  await expect(checkLink({ client }, target, "http://10.0.0.1/admin", signal)).rejects.toMatchObject({
    code: "DOWNLOAD_REFUSED",
    message: `${kind} of "${name}": the link leads to "10.0.0.1", not to storage location "default"`,
  });
});
