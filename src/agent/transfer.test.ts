import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodVolumeRestore } from "../api/index.ts";
import type { Client } from "../kube/index.ts";
import type { Mover, RestoreRequest } from "../movers/index.ts";
import { isComplete } from "./marker.ts";
import { transferRestore } from "./transfer.ts";

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), "transfer-"));
const volume = join(folder, "pod-uid", "volumes", "kubernetes.io~empty-dir", "data");
beforeAll(() => mkdirSync(volume, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const objects: Record<string, object> = {
  "pods/web": {
    metadata: { name: "web", uid: "pod-uid" },
    spec: { volumes: [{ name: "data", emptyDir: {} }] },
  },
  "backupstoragelocations/default": {
    metadata: { name: "default", namespace: "velero" },
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: "/srv" } },
  },
  "secrets/velero-repo-credentials": {
    data: { "repository-password": Buffer.from("pw").toString("base64") },
  },
};

function deps(restore: (request: RestoreRequest) => Promise<{ bytes: number }>) {
  const client = {
    get: async (resource: { plural: string }, name: string) => objects[`${resource.plural}/${name}`],
    list: async () => [{ metadata: { name: "r" }, spec: { repositoryConfig: { cacheLimitMB: "300" } } }],
  };
  return {
    client: client as unknown as Client,
    namespace: "velero",
    hostPods: folder,
    mover: () => ({ kind: "kopia", restore }) as unknown as Mover,
  };
}

function pvr(uid = "pod-uid"): PodVolumeRestore {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { name: "r-1", labels: { "velero.io/restore-uid": "r-uid" } },
    spec: {
      pod: { namespace: "shop", name: "web", uid },
      volume: "data",
      backupStorageLocation: "default",
      repoIdentifier: "",
      snapshotID: "snap",
      sourceNamespace: "shop",
      uploaderType: "kopia",
      snapshotSize: 5,
    },
  };
}
const telling = {
  sample: () => undefined,
  look: () => undefined,
  facts: () => undefined,
  step: () => undefined,
};

test("transferRestore() does not let a pod go on with fewer bytes than the snapshot has", async () => {
  const short = deps(async ({ path }) => {
    writeFileSync(join(path, "a"), "123");
    return { bytes: 5 };
  });
  await expect(transferRestore(short, pvr(), telling, signal)).rejects.toMatchObject({
    code: "VOLUME_INCOMPLETE",
  });
  expect(await isComplete(volume, "r-uid")).toBe(false);
});

test("transferRestore() marks the volume when all is there, and does nothing the second time", async () => {
  const asked: RestoreRequest[] = [];
  const whole = deps(async (request) => {
    asked.push(request);
    writeFileSync(join(request.path, "a"), "12345");
    return { bytes: 5 };
  });
  expect(await transferRestore(whole, pvr(), telling, signal)).toMatchObject({ bytes: 5 });
  expect(await isComplete(volume, "r-uid")).toBe(true);
  expect(await transferRestore(whole, pvr(), telling, signal)).toMatchObject({ bytes: 5 });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    snapshotId: "snap",
    path: volume,
    repository: { place: { path: "/srv/b/kopia/shop" }, password: "pw", cacheBytes: 300_000_000 },
  });
});

test("transferRestore() refuses a pod that is another one by now", async () => {
  const never = deps(() => Promise.reject(new Error("never")));
  await expect(transferRestore(never, pvr("older"), telling, signal)).rejects.toMatchObject({
    code: "VOLUME_FOLDER",
  });
});
