import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bucketBackup, type CopiedVolume, putAll } from "../../../../test/harness/bucket-files.ts";
import type { Mover, MoverKind } from "../../../movers/index.ts";
import { backupKey, MemoryStore } from "../../../store/index.ts";
import { planRemoval, removeRestic } from "./remove.ts";
import { convertBackup, planConversion } from "./run.ts";
import { convertVolume, Targets } from "./volume.ts";

const { signal } = new AbortController();
const resticId = "f3012d26";
const volume: CopiedVolume = {
  namespace: "shop",
  pod: "web",
  volume: "data",
  uploader: "restic",
  snapshotId: resticId,
};

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "convert-"));
  await writeFile(join(root, "data"), "what restic holds");
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

/** Movers that keep one file in a folder, and what goes wrong with it. */
class Scripted {
  readonly snapshots = new Map<string, { path: string; tags: readonly string[] }>();
  readonly calls: string[] = [];
  restic: readonly string[] = [resticId.padEnd(64, "0")];
  fault: "changes" | "unread" | undefined;

  mover(kind: MoverKind): Mover {
    const scripted: Partial<Mover> = {
      kind,
      snapshotBytes: async () => 17,
      ensureRepository: async () => void this.calls.push(`${kind} ensure`),
      snapshots: async (_at, each) => {
        if (kind === "restic") for (const id of this.restic) each({ id, tags: [] });
        else for (const [id, { tags }] of this.snapshots) each({ id, tags });
      },
      restore: async ({ snapshotId, path }) => {
        this.calls.push(`${kind} restore`);
        const from = kind === "restic" ? root : (this.snapshots.get(snapshotId)?.path ?? "");
        await cp(join(from, "data"), join(path, "data"), { preserveTimestamps: true });
        if (kind === "kopia" && this.fault === "changes")
          await writeFile(join(path, "data"), "what kopia makes ");
        return { bytes: 17 };
      },
      backup: async ({ path, tags, source }) => {
        this.calls.push(`${kind} backup ${source}`);
        const id = String(this.snapshots.size + 1).padStart(32, "0");
        const kept = await mkdtemp(join(root, "kept-"));
        await cp(join(path, "data"), join(kept, "data"), { preserveTimestamps: true });
        this.snapshots.set(id, {
          path: kept,
          tags: Object.entries(tags).map(([key, value]) => `${key}:${value}`),
        });
        return { snapshotId: id, bytes: 17, ...(this.fault === "unread" && { unread: ["data: denied"] }) };
      },
      forget: async (_at, id) => {
        this.calls.push(`${kind} forget ${id}`);
        if (kind === "kopia") this.snapshots.delete(id);
        else this.restic = this.restic.filter((one) => !one.startsWith(id));
      },
      maintain: async () => void this.calls.push(`${kind} maintain`),
    };
    return scripted as Mover; // nothing else is asked of it
  }

  get opening() {
    return {
      place: { kind: "filesystem", path: "/b" } as const,
      password: "p",
      mover: (kind: MoverKind) => this.mover(kind),
    };
  }
}

async function stored(): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.put("restic/shop/config", Buffer.from("x"));
  await putAll(store, bucketBackup("b1", { copies: [volume] }));
  return store;
}

async function convert(store: MemoryStore, scripted: Scripted, name = "b1") {
  const { backups } = await planConversion(store, [name], signal);
  const told: string[] = [];
  const scratch = await mkdtemp(join(root, "scratch-"));
  const targets = new Targets(scripted.opening, async (namespace) => void told.push(`mark ${namespace}`));
  for (const backup of backups) {
    await convertBackup(
      { store, opening: scripted.opening, scratch, targets },
      backup,
      {
        pass: () => undefined,
        volume: (copy, { kopiaId }, was) =>
          void told.push(`${was ? "was" : "is"} ${copy.copy} ${kopiaId.slice(-2)}`),
        failed: (_copy, reason) => void told.push(`failed ${reason}`),
        backup: (one) => void told.push(`done ${one}`),
      },
      signal,
    );
  }
  return told;
}

async function copiesOf(
  store: MemoryStore,
  name = "b1",
): Promise<readonly { spec: object; status: object }[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.get(backupKey(name, "podVolumeBackups"))) chunks.push(chunk);
  return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as { spec: object; status: object }[];
}

test("a backup is converted, once", async () => {
  const [store, scripted] = [await stored(), new Scripted()];
  expect(await convert(store, scripted)).toEqual(["mark shop", "is b1-0 01", "done b1"]);
  expect(scripted.calls).toContain("kopia backup snapshot-pod-volume/kopia/shop/web/pv-data");
  expect((await copiesOf(store))[0]).toMatchObject({
    spec: { uploaderType: "kopia", repoIdentifier: "" },
    status: { snapshotID: "1".padStart(32, "0") },
  });
  expect(await store.head("backups/b1/b1-headway-restic-podvolumebackups.json.gz")).toBeDefined();
  expect(await convert(store, scripted)).toEqual([]);
});

test("a snapshot that an earlier life wrote is found by its tag; one that is not the same is made again", async () => {
  const [store, scripted] = [await stored(), new Scripted()];
  const tags = [`headway.dev/restic-snapshot:${resticId}`];
  scripted.snapshots.set("a".repeat(32), { path: root, tags });
  expect(await convert(store, scripted)).toEqual(["mark shop", "is b1-0 aa", "done b1"]);
  const [other, second] = [await stored(), new Scripted()];
  const half = await mkdtemp(join(root, "half-"));
  await writeFile(join(half, "data"), "half");
  second.snapshots.set("b".repeat(32), { path: half, tags });
  expect(await convert(other, second)).toEqual(["mark shop", "is b1-0 01", "done b1"]);
  expect(second.calls).toContain(`kopia forget ${"b".repeat(32)}`);
});

test.each(["changes", "unread"] as const)(
  "a volume that kopia %s is refused, and the backup stays as it is",
  async (fault) => {
    const [store, scripted] = [await stored(), new Scripted()];
    scripted.fault = fault;
    const [, told = ""] = await convert(store, scripted);
    expect(told).toMatch(
      fault === "changes" ? /^failed .*came back otherwise.*data/ : /^failed .*did not store all.*denied/,
    );
    expect(scripted.snapshots.size).toBe(0);
    expect((await copiesOf(store))[0]).toMatchObject({
      spec: { uploaderType: "restic" },
      status: { snapshotID: resticId },
    });
    expect(await store.head("backups/b1/b1-headway-restic-podvolumebackups.json.gz")).toBeUndefined();
  },
);

test("convertVolume() refuses with a code, and leaves nothing in its folder", async () => {
  const [store, scripted] = [await stored(), new Scripted()];
  scripted.fault = "changes";
  const { backups } = await planConversion(store, [], signal);
  const [copy] = backups.flatMap(({ copies }) => copies);
  if (!copy) throw new Error("there is nothing to convert");
  const scratch = await mkdtemp(join(root, "scratch-"));
  const deps = {
    opening: scripted.opening,
    scratch,
    targets: new Targets(scripted.opening, async () => undefined),
  };
  const run = convertVolume(deps, copy, () => undefined, signal);
  await expect(run).rejects.toMatchObject({ code: "CONVERT_REFUSED" });
  expect(await readdir(scratch)).toEqual([]);
});

test("planConversion() names what it leaves", async () => {
  const store = await stored();
  await putAll(store, bucketBackup("runs", { copies: [volume], status: { phase: "InProgress" } }));
  await putAll(store, bucketBackup("bad", {}));
  await store.put(backupKey("bad", "podVolumeBackups"), Buffer.from("x"));
  const { backups, left } = await planConversion(store, [], signal);
  expect(backups.map(({ name }) => name)).toEqual(["b1"]);
  expect(left.map(({ name }) => name)).toEqual(["bad", "runs"]);
  expect((await planConversion(store, ["none"], signal)).left).toEqual([
    { name: "none", reason: "it is not there" },
  ]);
});

test("restic's snapshots go only when kopia has them, and its repository only when nobody needs it", async () => {
  const [store, scripted] = [await stored(), new Scripted()];
  await convert(store, scripted);
  const kept = new Map(scripted.snapshots);
  scripted.snapshots.clear();
  expect(await planRemoval(store, scripted.opening, signal)).toMatchObject({
    backups: [],
    repositories: [],
    left: [{ name: "b1" }],
  });
  for (const [id, one] of kept) scripted.snapshots.set(id, one);
  await putAll(store, bucketBackup("b2", { copies: [{ ...volume, snapshotId: "11111111" }] }));
  const needed = await planRemoval(store, scripted.opening, signal);
  expect(needed).toMatchObject({ backups: ["b1"], repositories: [] });
  expect([...needed.snapshots]).toEqual([["shop", [resticId]]]);
  await store.deletePrefix("backups/b2/");
  const said: string[] = [];
  const plan = await planRemoval(store, scripted.opening, signal);
  await removeRestic({ store, opening: scripted.opening }, plan, (words) => said.push(words), signal);
  expect(said).toEqual(["removed the repository restic/shop"]);
  expect(await store.head("restic/shop/config")).toBeUndefined();
  expect(await store.head("backups/b1/b1-headway-restic-podvolumebackups.json.gz")).toBeUndefined();
  expect(await readFile(join(root, "data"), "utf8")).toBe("what restic holds");
});
