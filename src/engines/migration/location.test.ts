import { expect, test } from "vitest";
import type { MigStorage } from "../../api/index.ts";
import { credentialText, locationOf, storageFaults } from "./location.ts";

const storage = (provider: string, config: object): MigStorage => ({
  apiVersion: "migration.openshift.io/v1alpha1",
  kind: "MigStorage",
  metadata: { name: "repo", namespace: "om", uid: "12345678-9" },
  spec: { backupStorageProvider: provider, backupStorageConfig: config },
});

test("locationOf() turns a storage into a location with its credentials beside it", () => {
  const s3 = storage("aws", { awsBucketName: "b", awsRegion: "r", awsS3Url: "https://s3", insecure: true });
  expect(locationOf(s3, "velero", "creds")).toMatchObject({
    metadata: { name: "repo-12345678", namespace: "velero" },
    spec: {
      provider: "aws",
      objectStorage: { bucket: "b" },
      credential: { name: "creds", key: "cloud" },
      config: { region: "r", s3Url: "https://s3", s3ForcePathStyle: "true", insecureSkipTLSVerify: "true" },
    },
  });
  const folder = locationOf(storage("filesystem", { filesystemPath: "/mnt/x" }), "velero", undefined);
  expect(folder.spec).toEqual({
    provider: "filesystem",
    objectStorage: { bucket: "migration" },
    config: { path: "/mnt/x" },
  });
});

test.each([
  ["aws", { awsBucketName: "b" }, []],
  ["aws", {}, ["InvalidBackupStorageSettings NotSet"]],
  ["gcp", {}, ["InvalidBackupStorageSettings NotSet"]],
  ["azure", { azureStorageAccount: "a" }, ["InvalidBackupStorageSettings NotSet"]],
  ["filesystem", { filesystemPath: "/x" }, []],
  ["", {}, ["InvalidBackupStorageProvider NotSet"]],
  ["tape", {}, ["InvalidBackupStorageProvider NotSupported"]],
])("storageFaults() of %s %j", (provider, config, want) => {
  expect(storageFaults(storage(provider, config)).map(({ type, reason }) => `${type} ${reason}`)).toEqual(
    want,
  );
});

test("credentialText() reads each way in which credentials are kept", () => {
  const data = (values: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    );
  expect(credentialText("aws", data({ "aws-access-key-id": "i", "aws-secret-access-key": "s" }))).toBe(
    "[default]\naws_access_key_id=i\naws_secret_access_key=s\n",
  );
  expect(credentialText("gcp", data({ "gcp-credentials": "{}" }))).toBe("{}");
  expect(credentialText("azure", data({ "azure-credentials": "A=1" }))).toBe("A=1");
  expect(credentialText("aws", data({ cloud: "as it is" }))).toBe("as it is");
  expect(credentialText("aws", {})).toBeUndefined();
});
