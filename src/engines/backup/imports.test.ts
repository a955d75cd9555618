import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import type { Backup, KubeObject } from "../../api/index.ts";
import type { Client } from "../../kube/index.ts";
import { type BackupFile, backupKey, MemoryStore } from "../../store/index.ts";
import { Imports } from "./imports.ts";

const signal = new AbortController().signal;
const hostile = '--password-command=/bin/sh -c "id > /tmp/x"';

function world() {
  const store = new MemoryStore();
  const made: KubeObject[] = [];
  const said: string[] = [];
  const here: KubeObject[] = [];
  const client = {
    list: async ({ plural }: { readonly plural: string }) => (plural === "volumepluginbackups" ? here : []),
    create: async (_resource: unknown, object: KubeObject) => {
      made.push(object);
      return { ...object, metadata: { ...object.metadata, uid: `uid-${made.length}` } };
    },
  } as unknown as Client;
  const log = (level: string, message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (level === "error") said.push(`${message}: ${String(fields?.["error"])}`);
  };
  const imports = new Imports({ client, namespace: "velero", clock: new TestClock(), log });
  const bring = (backup: string, known?: Backup) =>
    imports.bring({ store, location: "l", backup, known }, signal);
  return { store, made, said, imports, bring, here };
}

async function put(
  store: MemoryStore,
  name: string,
  change: { readonly copy?: object; readonly file?: BackupFile; readonly bytes?: Uint8Array } = {},
) {
  const backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name },
    spec: {},
    status: { phase: "Completed" },
  };
  await store.put(backupKey(name, "metadata"), Buffer.from(JSON.stringify(backup)));
  const copy = {
    metadata: { name: `${name}-1` },
    spec: { pod: { namespace: "shop", name: "web-0" }, volume: "data", uploaderType: "restic" },
    status: { phase: "Completed", snapshotID: "0123abcd", ...change.copy },
  };
  await store.put(backupKey(name, "podVolumeBackups"), gzipSync(JSON.stringify([copy])));
  if (change.file) await store.put(backupKey(name, change.file), change.bytes ?? Buffer.alloc(0));
}

test("bring() makes the Backup and its copies", async () => {
  const { store, made, said, bring } = world();
  await put(store, "b");
  expect(await bring("b")).toBe(true);
  expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Backup b",
    "PodVolumeBackup b-1",
  ]);
  expect(said).toEqual([]);
  expect(await bring("not-there")).toBe(false);
});

test("of a backup with one bad entry nothing comes in, and the others do", async () => {
  const { store, made, said, imports, bring } = world();
  await put(store, "evil", { copy: { snapshotID: hostile } });
  await put(store, "good");
  imports.begin("l");
  expect(await bring("evil"), "it is there, and its Backup no orphan").toBe(true);
  expect(await bring("good")).toBe(true);
  expect(made.map(({ metadata }) => metadata.name)).toEqual(["good", "good-1"]);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("evil-podvolumebackups.json.gz");
  expect(said[0]).toContain("[0].status.snapshotID is ");
  expect(imports.refusedOf("l")).toBe(1);
});

test("a bad backup is said once for each version of it, and not read again", async () => {
  const { store, said, imports, bring } = world();
  await put(store, "evil", { copy: { snapshotID: hostile } });
  let reads = 0;
  const get = store.get.bind(store);
  store.get = (key, stop) => {
    reads += 1;
    return get(key, stop);
  };
  for (let sync = 0; sync < 5; sync += 1) {
    imports.begin("l");
    await bring("evil");
    expect(imports.refusedOf("l")).toBe(1);
  }
  expect(said).toHaveLength(1);
  expect(reads).toBe(2);
  await put(store, "evil", { copy: { snapshotID: `${hostile} again` } });
  await bring("evil");
  expect(said).toHaveLength(2);
  await put(store, "evil");
  imports.begin("l");
  await bring("evil");
  expect(imports.refusedOf("l")).toBe(0);
});

test.each(["", "..", "a b", "-x", "A", "a\nb", "a\0b", "x".repeat(300)])(
  "a folder named %j is passed over and said once",
  async (name) => {
    const { made, said, imports, bring } = world();
    imports.begin("l");
    expect(await bring(name)).toBe(false);
    expect(await bring(name)).toBe(false);
    expect(made).toEqual([]);
    expect(said).toHaveLength(1);
    expect(said[0]).not.toMatch(/\p{Cc}/u);
    expect(imports.refusedOf("l")).toBe(1);
  },
);

test("a bomb beside a good Backup keeps all of it out", async () => {
  const { store, made, said, bring } = world();
  await put(store, "bomb", {
    file: "volumePluginBackups",
    bytes: gzipSync(Buffer.alloc(70 * 1024 ** 2, " ")),
  });
  await bring("bomb");
  expect(made).toEqual([]);
  expect(said[0]).toContain("bomb-volumepluginbackups.json.gz");
});

test("what may pass is tried and said each time", async () => {
  const { store, said, imports, bring } = world();
  await put(store, "b");
  const get = store.get.bind(store);
  store.get = () => Promise.reject(new Error("away"));
  imports.begin("l");
  for (let sync = 0; sync < 2; sync += 1) await bring("b");
  expect(said).toHaveLength(2);
  expect(imports.refusedOf("l")).toBe(0);
  store.get = get;
  await bring("b");
  expect(said).toHaveLength(2);
});

test("a snapshot's record that was deleted here comes back with the next look, and is not asked for again", async () => {
  const { store, made, imports, bring, here } = world();
  await put(store, "b");
  const record = {
    metadata: { name: "snap-1", labels: { "velero.io/backup-uid": "far" } },
    spec: { volume: "pv-1", backup: "b", plugin: "example.com/p" },
    status: { phase: "Completed", snapshotID: "snap-1" },
  };
  await store.put(backupKey("b", "volumePluginBackups"), gzipSync(JSON.stringify([record])));
  const known = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "b", uid: "u1" },
    status: { phase: "Completed" },
  } as Backup;
  const look = async () => {
    imports.begin("l");
    await bring("b", known);
    const names = made.splice(0).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    imports.refusedOf("l");
    return names;
  };
  const snapshot: KubeObject = {
    apiVersion: "velero.io/v1",
    kind: "VolumePluginBackup",
    metadata: { name: "snap-1", labels: { "velero.io/backup-uid": "u1" } },
  };
  expect(await look()).toEqual(["VolumePluginBackup snap-1"]);
  here.push(snapshot);
  expect(await look(), "it is here").toEqual([]);
  here.pop();
  expect(await look(), "it was deleted").toEqual(["VolumePluginBackup snap-1"]);
});
