import { expect, test } from "vitest";
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

test("placeOf() puts a folder location below its path, bucket and prefix", () => {
  const spec = { provider: "filesystem", bucket: "b", prefix: "/p/", config: { path: "/srv" } };
  expect(placeOf(spec)).toEqual({ kind: "filesystem", path: "/srv/b/p" });
  expect(placeOf({ ...spec, prefix: "" })).toEqual({ kind: "filesystem", path: "/srv/b" });
});

test("placeOf() takes what movers need of an S3 location", () => {
  const spec = {
    provider: "velero.io/aws",
    bucket: "b",
    config: { region: "r", s3Url: "http://x:1/", insecureSkipTLSVerify: "true" },
    credentials: "[default]\naws_access_key_id=k\naws_secret_access_key=s\n",
  };
  expect(placeOf(spec)).toEqual({
    kind: "s3",
    bucket: "b",
    prefix: "",
    region: "r",
    endpoint: "http://x:1",
    keys: { accessKeyId: "k", secretAccessKey: "s" },
    skipVerify: true,
  });
});

test("placeOf() refuses other providers", () => {
  expect(() => placeOf({ provider: "gcp", bucket: "b", config: {} })).toThrow('provider "gcp" is neither');
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
