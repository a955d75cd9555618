import { dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BackupStorageLocation,
  type DownloadRequest,
  kinds,
  type Restore,
} from "../../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../../src/kube/index.ts";
import { type LocationSpec, openStore } from "../../../src/store/index.ts";
import { missingAzure, startAzure } from "../../harness/azure.ts";
import { BackupStage, core, tarNames } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { missingGcs, startGcs } from "../../harness/gcs.ts";
import { findPart } from "../../harness/parts.ts";

const locations = resourceOf(kinds.BackupStorageLocation);
const gcpPlugin = findPart("velero-plugin-for-gcp", "HEADWAY_GCP_PLUGIN");

interface Way {
  readonly name: string;
  readonly skip: string | undefined;
  readonly start: () => Promise<{ spec: LocationSpec; wrong: string; stop: () => Promise<void> }>;
  /** A folder with the plugin program that serves the location, and how its links look. */
  readonly plugins?: string;
  /** What a signed link has; absent where the emulator cannot be reached by it. */
  readonly link?: string;
  /** How wrong credentials are told; absent where the emulator takes all. */
  readonly refused?: string;
}

const gcs: Way["start"] = async () => {
  const { bucket, credentials, origin, stop } = await startGcs();
  const spec = { provider: "gcp", bucket, credentials, config: { storeEndpoint: `${origin}/storage/v1/` } };
  return { spec, wrong: JSON.stringify({ type: "authorized_user", refresh_token: "canary-4711" }), stop };
};

const ways: readonly Way[] = [
  {
    name: "Azure Blob",
    skip: missingAzure(),
    link: "sig=",
    refused: "the credentials are not allowed to do this (HTTP 403",
    async start() {
      const { account, container, key, endpoint, stop } = await startAzure();
      const config = { storageAccount: account, storageAccountURI: endpoint, storageAccountKeyEnvVar: "KEY" };
      const spec = { provider: "velero.io/azure", bucket: container, credentials: `KEY=${key}\n`, config };
      return { spec, wrong: `KEY=${Buffer.from("canary-4711").toString("base64")}\n`, stop };
    },
  },
  {
    name: "Google Cloud Storage",
    skip: missingGcs(),
    link: "X-Goog-Signature=",
    refused: 'the credentials are of type "authorized_user"',
    start: gcs,
  },
  {
    name: "Google Cloud Storage, by Velero's plugin",
    skip: missingGcs() ?? ("missing" in gcpPlugin ? gcpPlugin.missing : undefined),
    ...("program" in gcpPlugin && { plugins: dirname(gcpPlugin.program) }),
    start: gcs,
  },
];

// A backup and a restore whose only way is the emulator of a cloud.
for (const { name: cloudName, skip, start, plugins, link, refused } of ways) {
  const title = `through ${cloudName}${skip === undefined ? "" : ` (skipped: ${skip})`}`;
  describe.skipIf(skip !== undefined)(title, () => {
    let cloud: Awaited<ReturnType<Way["start"]>>;
    let stage: BackupStage;
    let shop: string;
    beforeAll(async () => {
      cloud = await start();
      stage = await BackupStage.open();
      shop = await stage.app("cloud-shop");
      await stage.configMaps(shop, 40, 50_000);
      await secret("cloud", cloud.spec.credentials ?? "");
      await secret("wrong", cloud.wrong);
      await location("far", "cloud");
      stage.operator(undefined, undefined, plugins === undefined ? {} : { plugins: { folders: [plugins] } });
    }, 120_000);
    afterAll(async () => {
      await stage?.close();
      await cloud?.stop();
    }, 60_000);

    function secret(name: string, text: string): Promise<unknown> {
      return stage.client.create(core("secrets", "Secret"), {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: stage.namespace },
        data: { cloud: Buffer.from(text).toString("base64") },
      });
    }

    function location(name: string, credential: string, bucket = cloud.spec.bucket): Promise<unknown> {
      const { provider, config } = cloud.spec;
      const annotations = plugins === undefined ? {} : { "headway.dev/store": "plugin" };
      return stage.client.create(locations, {
        apiVersion: "velero.io/v1",
        kind: "BackupStorageLocation",
        metadata: { name, namespace: stage.namespace, annotations },
        spec: {
          provider,
          config: { ...config },
          objectStorage: { bucket, prefix: "some/prefix" },
          credential: { name: credential, key: "cloud" },
        },
      });
    }

    function found(name: string): Promise<BackupStorageLocation> {
      return eventually(
        () => stage.client.get<BackupStorageLocation>(locations, name, { namespace: stage.namespace }),
        ({ status }) => status?.phase !== undefined,
      );
    }

    /** Looked at without the operator, and without a prefix: the layout is the bucket's. */
    async function keys(under: string): Promise<string[]> {
      const store = await openStore(cloud.spec);
      const all = await Array.fromAsync(store.list(`some/prefix/${under}`));
      return all.flatMap((entry) => ("object" in entry ? entry.object.key.slice("some/prefix/".length) : []));
    }

    async function restore(target: string): Promise<Restore> {
      const restores = resourceOf(kinds.Restore);
      const place = { namespace: stage.namespace };
      await stage.client.create(restores, {
        apiVersion: "velero.io/v1",
        kind: "Restore",
        metadata: { name: "back", ...place },
        spec: { backupName: "far", namespaceMapping: { [shop]: target } },
      });
      return await eventually(
        () => stage.client.get<Restore>(restores, "back", place),
        ({ status }) => /Completed|Failed/.test(status?.phase ?? ""),
      );
    }

    async function download(kind: string, name: string): Promise<Buffer> {
      const requests = resourceOf(kinds.DownloadRequest);
      const place = { namespace: stage.namespace };
      const request = `${name}-${kind.toLowerCase()}`;
      await stage.client.create(requests, {
        apiVersion: "velero.io/v1",
        kind: "DownloadRequest",
        metadata: { name: request, ...place },
        spec: { target: { kind, name } },
      });
      const answered = await eventually(
        () => stage.client.get<DownloadRequest>(requests, request, place),
        ({ status }) => Boolean(status?.downloadURL),
      );
      const url = answered.status?.downloadURL ?? "";
      expect(url).toContain(link);
      return Buffer.from(await (await fetch(url)).arrayBuffer());
    }

    test("a backup is stored where upstream has it, downloaded, restored, and deleted", async () => {
      expect((await found("far")).status).toMatchObject({ phase: "Available" });
      await stage.create("far", { includedNamespaces: [shop], storageLocation: "far" });
      expect((await stage.ended("far")).status).toMatchObject({ phase: "Completed" });
      const names = ["far.tar.gz", "velero-backup.json", "far-logs.gz", "far-resource-list.json.gz"];
      expect(await keys("backups/far/")).toEqual(
        expect.arrayContaining(names.map((name) => `backups/far/${name}`)),
      );
      expect(await keys("metadata/headway-location-"), "the marker of the store").toHaveLength(1);
      if (link !== undefined) {
        const archive = await download("BackupContents", "far");
        expect(tarNames(archive)).toContain(`resources/configmaps/namespaces/${shop}/cm-39.json`);
      }

      const target = `${shop}-copy`;
      expect((await restore(target)).status).toMatchObject({ phase: "Completed" });
      const maps = core("configmaps", "ConfigMap");
      for (const name of ["cm-0", "cm-39"]) {
        const [was, is] = await Promise.all(
          [shop, target].map((namespace) => stage.client.get(maps, name, { namespace })),
        );
        expect((is as unknown as { data: unknown }).data).toEqual((was as unknown as { data: unknown }).data);
      }
      if (link !== undefined) {
        expect(gunzipSync(await download("RestoreLog", "back")).toString()).toContain(
          "items are to be restored",
        );
      }
      await stage.drop(target);

      const { uid } = (await stage.get("far")).metadata;
      await stage.client.create(resourceOf(kinds.DeleteBackupRequest), {
        apiVersion: "velero.io/v1",
        kind: "DeleteBackupRequest",
        metadata: { name: "far-gone", namespace: stage.namespace, labels: { "velero.io/backup-uid": uid } },
        spec: { backupName: "far" },
      });
      await eventually(
        () => stage.get("far").catch((error: unknown) => isNotFound(error)),
        (gone) => gone === true,
      );
      expect(await keys("backups/far/")).toEqual([]);
      expect(await keys("restores/back/")).toEqual([]);
    }, 120_000);

    // The plugin's own words are the plugin's business.
    if (refused === undefined) return;
    test("wrong credentials and a bucket that is not there make a location unavailable, in one sentence and without secrets", async () => {
      await location("denied", "wrong");
      await location("missing", "cloud", "no-such-bucket");
      const [denied, missing] = [await found("denied"), await found("missing")];
      expect(denied.status).toMatchObject({
        phase: "Unavailable",
        message: expect.stringContaining(refused),
      });
      expect(missing.status).toMatchObject({
        phase: "Unavailable",
        message: expect.stringContaining("no-such-bucket"),
      });
      expect(JSON.stringify([denied.status, missing.status])).not.toMatch(/canary|Y2FuYXJ5/);
    }, 60_000);
  });
}
