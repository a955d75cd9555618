import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../api/index.ts";
import type { Client } from "../kube/index.ts";
import type { Plugins } from "../plugins/index.ts";
import { Stores } from "./open-store.ts";

const secret = "[default]\naws_access_key_id=AKIAEXAMPLE\naws_secret_access_key=s3cr3t/key\n";
const client = {
  get: async () => ({ data: { cloud: Buffer.from(secret).toString("base64") } }),
} as unknown as Pick<Client, "get">;
const location = {
  apiVersion: "velero.io/v1",
  kind: "BackupStorageLocation",
  metadata: { name: "default", namespace: "velero" },
  spec: {
    provider: "example.io/store",
    objectStorage: { bucket: "b" },
    credential: { name: "cloud", key: "cloud" },
  },
} satisfies BackupStorageLocation;

test("a store that quotes its credentials is not quoted", async () => {
  const said = "403: AKIAEXAMPLE / s3cr3t/key";
  const store = {
    place: "place",
    head: () => Promise.reject(new Error(said)),
    async *list() {
      yield { prefix: "a/" };
      throw new Error(said);
    },
  };
  const openObjectStore = async () => ({ store, close: async () => undefined });
  const stores = new Stores(client, { openObjectStore } as unknown as Plugins, tmpdir());
  const { signal } = new AbortController();
  const opened = await stores.open(location, signal);
  expect(await stores.open(location, signal), "kept").toBe(opened);
  await expect(opened.head("x")).rejects.toThrow("403: *** / ***");
  await expect(Array.fromAsync(opened.list(""))).rejects.toThrow("403: *** / ***");
  await stores.close();
});

test("a plugin that quotes its credentials when it is opened is not quoted", async () => {
  const openObjectStore = () => Promise.reject(new Error("bad key s3cr3t/key"));
  const stores = new Stores(client, { openObjectStore } as unknown as Plugins, tmpdir());
  await expect(stores.open(location, new AbortController().signal)).rejects.toThrow("bad key ***");
});
