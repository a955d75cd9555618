import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { BackupStorageLocation } from "../../api/index.ts";
import type { Client } from "../../kube/index.ts";
import { placeOf, readLocation, secretText } from "./location.ts";

const signal = new AbortController().signal;

function secrets(data: Record<string, Record<string, string>>): Pick<Client, "get"> {
  return {
    get: async (_resource: unknown, name: string) =>
      ({
        metadata: { name },
        data: Object.fromEntries(
          Object.entries(data[name] ?? {}).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
        ),
      }) as never,
  };
}

test("placeOf() puts a folder location below its path, bucket and prefix", async () => {
  const spec = { provider: "filesystem", bucket: "b", prefix: "/p/", config: { path: "/srv" } };
  expect(await placeOf(spec)).toEqual({ kind: "filesystem", path: "/srv/b/p" });
  expect(await placeOf({ ...spec, prefix: "" })).toEqual({ kind: "filesystem", path: "/srv/b" });
});

test("placeOf() takes what movers need of an S3 location", async () => {
  const spec = {
    provider: "velero.io/aws",
    bucket: "b",
    config: { region: "r", s3Url: "http://x:1/", insecureSkipTLSVerify: "true" },
    credentials: "[default]\naws_access_key_id=k\naws_secret_access_key=s\n",
  };
  expect(await placeOf(spec)).toEqual({
    kind: "s3",
    bucket: "b",
    prefix: "",
    region: "r",
    endpoint: "http://x:1",
    keys: { accessKeyId: "k", secretAccessKey: "s" },
    skipVerify: true,
  });
});

const azure = {
  provider: "velero.io/azure",
  bucket: "backups",
  prefix: "/p/",
  config: { storageAccount: "acc" },
};
const identity = "AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\nAZURE_CLIENT_SECRET=s\n";

test.each([
  [{ storageAccountKeyEnvVar: "K" }, "K=a2V5\n", { by: "key", key: "a2V5" }],
  [{ useAAD: "true" }, identity, { by: "secret", tenant: "t", client: "c", secret: "s" }],
  [{ useAAD: "true" }, "", { by: "managed" }],
])("placeOf() takes what movers need of an Azure location with %j", async (config, credentials, access) => {
  const spec = { ...azure, credentials, config: { ...azure.config, ...config } };
  expect(await placeOf(spec)).toEqual({
    kind: "azure",
    container: "backups",
    prefix: "p",
    account: "acc",
    domain: "blob.core.windows.net",
    access,
    login: "https://login.microsoftonline.com/",
  });
});

test("placeOf() refuses addresses that no mover reaches, in one sentence", async () => {
  const emulator = {
    ...azure.config,
    storageAccountKeyEnvVar: "K",
    storageAccountURI: "http://127.0.0.1:1/acc",
  };
  await expect(placeOf({ ...azure, credentials: "K=a2V5", config: emulator })).rejects.toMatchObject({
    code: "STORE_CONFIG",
    message: expect.stringContaining('not at "http://127.0.0.1:1/acc" of storageAccountURI'),
  });
  const config = { storeEndpoint: "https://storage.example" };
  await expect(placeOf({ provider: "gcp", bucket: "backups", config })).rejects.toMatchObject({
    code: "STORE_CONFIG",
    message: expect.stringContaining('not "https://storage.example" of storeEndpoint'),
  });
});

test("placeOf() takes what movers need of a GCS location", async () => {
  const spec = { provider: "gcp", bucket: "backups", prefix: "p", config: {} };
  expect(await placeOf(spec)).toEqual({ kind: "gcs", bucket: "backups", prefix: "p" });
  const config = { storeEndpoint: "https://storage-x.p.googleapis.com/storage/v1/" };
  expect(await placeOf({ ...spec, config })).toEqual({ kind: "gcs", bucket: "backups", prefix: "p" });
});

test("placeOf() refuses other providers", async () => {
  const spec = { provider: "swift", bucket: "b", config: {} };
  await expect(placeOf(spec)).rejects.toThrow('provider "swift" is none of');
});

test("readLocation() takes the file of the process where a location names no Secret", async () => {
  const folder = await mkdtemp(join(tmpdir(), "location-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "credentials"), "K=a2V5");
  process.env["AZURE_CREDENTIALS_FILE"] = join(folder, "credentials");
  onTestFinished(() => void delete process.env["AZURE_CREDENTIALS_FILE"]);
  const location: BackupStorageLocation = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "l", namespace: "velero" },
    spec: { provider: "velero.io/azure", objectStorage: { bucket: "b" } },
  };
  expect(await readLocation(secrets({}), location, signal)).toMatchObject({ credentials: "K=a2V5" });
});

test("readLocation() reads the Secrets that a location names", async () => {
  const location: BackupStorageLocation = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "l", namespace: "velero" },
    spec: {
      provider: "aws",
      objectStorage: { bucket: "b", caCertRef: { name: "ca", key: "pem" } },
      credential: { name: "cloud", key: "file" },
    },
  };
  const client = secrets({ cloud: { file: "keys" }, ca: { pem: "cert" } });
  expect(await readLocation(client, location, signal)).toMatchObject({ credentials: "keys", caCert: "cert" });
});

test("secretText() names the key that is not there", async () => {
  const where = { namespace: "velero", name: "cloud", key: "file" };
  await expect(secretText(secrets({}), where, signal)).rejects.toMatchObject({ code: "STORE_CONFIG" });
});
