import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type BucketBackup, bucketBackup, putAll } from "../../../test/harness/bucket-files.ts";
import { bucketWith, check, kopiaCopy, kopiaId, resticCopy } from "../../../test/harness/checked-bucket.ts";
import { tarGz } from "../../../test/harness/tar.ts";
import { backupKey, MemoryStore } from "../../store/index.ts";
import type { Finding } from "./findings.ts";
import type { BackupReport } from "./judge.ts";

const codesOf = (findings: readonly Finding[]) =>
  findings.filter(({ weight }) => weight !== "note").map(({ code }) => code);

describe("a bucket that is in order", () => {
  test("of kopia's copies", async () => {
    const store = await bucketWith({ copies: [kopiaCopy] });
    await store.delete("restic/shop/config");
    const { backups, repositories: repos, found, summary } = await check(store);
    expect(backups).toEqual([
      expect.objectContaining({ name: "b1", state: "whole", items: 2, volumes: 1, findings: [] }),
    ]);
    expect(backups[0]?.restorable).toEqual({ headway: true, velero: { from: "1.10" } });
    expect(repos).toEqual([
      expect.objectContaining({ name: "kopia/shop", snapshots: 1, backups: 1, findings: [] }),
    ]);
    expect(found).toEqual([]);
    expect(summary).toMatchObject({ errors: 0, warnings: 0, states: { whole: 1 }, removals: [] });
  });

  test.each(["restic", undefined] as const)(
    "of restic's copies, with uploader %s: told who will refuse it",
    async (uploader) => {
      const { uploader: _by, ...copy } = resticCopy;
      const store = await bucketWith({
        copies: [{ ...copy, ...(uploader && { uploader }) }],
        volumeInfo: false,
      });
      await store.delete("kopia/shop/kopia.repository.f");
      const { backups, summary } = await check(store);
      expect(backups[0]).toMatchObject({
        state: "whole",
        restorable: { headway: true, velero: { from: "1.9", until: "1.18" } },
      });
      expect(backups[0]?.findings.map(({ message }) => message)).toEqual([
        "Velero 1.19 and later will refuse it: its volumes were copied with restic",
      ]);
      expect(summary).toMatchObject({ errors: 0, warnings: 0 });
    },
  );

  test("without a password no snapshot is looked for", async () => {
    const { backups, repositories: repos } = await check(
      await bucketWith({ copies: [kopiaCopy, { ...resticCopy, snapshotId: "0".repeat(8) }] }),
      { opens: false },
    );
    expect(backups[0]?.state).toBe("whole");
    expect(repos.map(({ snapshots }) => snapshots)).toEqual([undefined, undefined]);
  });
});

const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20);
const flipped = (bytes: Uint8Array) => {
  const copy = Buffer.from(bytes);
  const at = copy.length - 6; // in the checksum: the content still unpacks
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** Each fault: how it is made, the state of the backup, and the one finding that names it. */
const faults: readonly (readonly [
  name: string,
  plant: (store: MemoryStore, files: Map<string, Buffer>) => Promise<void>,
  state: BackupReport["state"],
  code: string,
  words: RegExp,
])[] = [
  [
    "an archive that is missing",
    (store) => store.delete(key("contents")),
    "lost",
    "archive-missing",
    /archive is missing/,
  ],
  [
    "an archive that is cut",
    (store, files) => store.put(key("contents"), cut(of(files, "contents"))),
    "lost",
    "archive-damaged",
    /damaged or cut/,
  ],
  [
    "an archive with a flipped byte",
    (store, files) => store.put(key("contents"), flipped(of(files, "contents"))),
    "lost",
    "archive-damaged",
    /damaged or cut/,
  ],
  [
    "an archive of another format",
    (store) => store.put(key("contents"), tarGz([{ name: "metadata/version", body: "2.0.0\n" }])),
    "lost",
    "archive-version",
    /"2\.0\.0"/,
  ],
  [
    "an archive that climbs out",
    (store) => store.put(key("contents"), tarGz([{ name: "../../etc/passwd", body: "x" }])),
    "lost",
    "archive-damaged",
    /name that no backup has/,
  ],
  [
    "an item that is no JSON",
    (store) => store.put(key("contents"), tarGz([{ name: "resources/pods/namespaces/a/b.json", body: "{" }])),
    "damaged",
    "item-damaged",
    /1 items/,
  ],
  [
    "metadata that are missing",
    (store) => store.delete(key("metadata")),
    "lost",
    "metadata-missing",
    /its archive is whole/,
  ],
  [
    "metadata that are no JSON",
    (store) => store.put(key("metadata"), Buffer.from("<html>")),
    "lost",
    "metadata-damaged",
    /JSON/i,
  ],
  [
    "metadata of another backup",
    (store) => store.put(key("metadata"), of(bucketBackup("b2"), "metadata", "b2")),
    "lost",
    "metadata-damaged",
    /the name of its folder/,
  ],
  [
    "the list of copies missing",
    (store) => store.delete(key("podVolumeBackups")),
    "damaged",
    "file-missing",
    /volume info names 2/,
  ],
  [
    "the list of copies damaged",
    (store) => store.put(key("podVolumeBackups"), Buffer.from("no gzip")),
    "damaged",
    "file-damaged",
    /compression is damaged/,
  ],
  [
    "the log damaged",
    (store, files) => store.put(key("log"), cut(of(files, "log"))),
    "damaged",
    "file-damaged",
    /damaged or cut/,
  ],
  [
    "a repository that is missing",
    (store) => store.delete("kopia/shop/kopia.repository.f"),
    "damaged",
    "repository-missing",
    /kopia\/shop, which is not there/,
  ],
  [
    "a volume info that disagrees",
    (store, files) =>
      store.put(
        key("volumeInfo"),
        edited(of(files, "volumeInfo"), (text) => text.replace(kopiaId, "0".repeat(32))),
      ),
    "damaged",
    "volume-info-differs",
    /says snapshot "0{32}"/,
  ],
  [
    "files of others in its folder",
    (store) => store.put("backups/b1/notes.txt", Buffer.from("x")),
    "whole",
    "foreign-files",
    /notes\.txt/,
  ],
];

function key(file: Parameters<typeof backupKey>[1], name = "b1"): string {
  return backupKey(name, file);
}
function of(files: Map<string, Buffer>, file: Parameters<typeof backupKey>[1], name = "b1"): Buffer {
  return files.get(key(file, name)) ?? Buffer.alloc(0);
}
function edited(bytes: Buffer, edit: (text: string) => string): Buffer {
  return gzipSync(edit(gunzipSync(bytes).toString()));
}

describe("faults are named", () => {
  const made: BucketBackup = { copies: [kopiaCopy, resticCopy] };

  test.each(faults)("%s", async (_name, plant, state, code, words) => {
    const store = await bucketWith(made);
    await plant(store, bucketBackup("b1", made));
    const { backups, summary } = await check(store);
    expect(backups).toHaveLength(1);
    expect(codesOf(backups[0]?.findings ?? [])).toEqual([code]);
    expect(backups[0]?.state).toBe(state);
    expect(backups[0]?.findings.find((one) => one.code === code)?.message).toMatch(words);
    expect(summary.errors + summary.warnings).toBeGreaterThan(0);
  });

  test("a snapshot that the repository does not have", async () => {
    const { backups } = await check(
      await bucketWith({ copies: [{ ...kopiaCopy, snapshotId: "a".repeat(32) }, resticCopy] }),
    );
    expect(codesOf(backups[0]?.findings ?? [])).toEqual(["snapshot-missing"]);
    expect(backups[0]?.findings[0]?.message).toBe(
      `the repository kopia/shop does not have the snapshot ${"a".repeat(32)} of shop/web/data`,
    );
    expect(backups[0]?.state).toBe("damaged");
  });

  test("a wrong password", async () => {
    const { backups, repositories: repos } = await check(await bucketWith(made), { opens: "wrong" });
    expect(repos.map(({ findings }) => codesOf(findings))).toEqual([
      ["repository-password"],
      ["repository-password"],
    ]);
    expect(backups[0]?.state).toBe("whole");
  });

  test("a repository that no backup uses", async () => {
    const store = await bucketWith({ copies: [kopiaCopy] });
    const day = 25 * 3_600_000;
    expect((await check(store)).summary.removals).toEqual([]);
    const { repositories: repos, summary } = await check(store, { nowMs: Date.now() + day });
    expect(repos.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([
      "no backup needs restic/shop",
    ]);
    expect(summary.removals).toEqual([
      expect.objectContaining({ what: "unused repository", prefix: "restic/shop/", objects: 1, bytes: 1 }),
    ]);
    // What cannot be read may need it.
    await store.put(key("podVolumeBackups"), Buffer.from("x"));
    expect((await check(store, { nowMs: Date.now() + day })).summary.removals).toEqual([]);
    await putAll(store, bucketBackup("b1", { copies: [kopiaCopy] }));
    await store.put("backups/no backup/x", Buffer.from("x"));
    expect((await check(store, { nowMs: Date.now() + day })).summary.removals).toEqual([]);
  });

  test("a backup that was uploaded by half", async () => {
    const store = new MemoryStore();
    await store.put(key("log", "half"), gzipSync("begun\n"));
    await store.put(key("podVolumeBackups", "half"), gzipSync("[]"));
    const { backups, summary } = await check(store, { nowMs: Date.now() + 25 * 3_600_000 });
    expect(backups[0]).toMatchObject({ state: "unfinished", restorable: { headway: false } });
    expect(codesOf(backups[0]?.findings ?? [])).toEqual(["unfinished"]);
    expect(summary.removals).toEqual([
      expect.objectContaining({ what: "half-uploaded backup", prefix: "backups/half/", objects: 2 }),
    ]);
  });

  test("a backup that still runs is not removed", async () => {
    const store = await bucketWith({ status: { phase: "InProgress" } }, "running");
    await store.delete(key("contents", "running"));
    const { backups, summary } = await check(store, { nowMs: Date.now() + 25 * 3_600_000 });
    expect(backups[0]).toMatchObject({ state: "unfinished", phase: "InProgress" });
    expect(summary.removals.filter(({ what }) => what === "half-uploaded backup")).toEqual([]);
  });

  test("names that are none, and files of other programs", async () => {
    const store = new MemoryStore();
    await store.put("backups/Not A Backup/velero-backup.json", Buffer.from("{}"));
    await store.put("backups/-rf/velero-backup.json", Buffer.from("{}"));
    await store.put("backups/loose.txt", Buffer.from("x"));
    await store.put("kopia/Strange_Name/kopia.repository", Buffer.from("x"));
    await store.put("photos/cat.jpg", Buffer.from("x"));
    await store.put("readme.txt", Buffer.from("x"));
    const { backups, found } = await check(store);
    expect(backups).toEqual([]);
    expect(codesOf(found).toSorted()).toEqual([
      "foreign-files",
      "foreign-files",
      "strange-name",
      "strange-name",
      "strange-name",
      "strange-name",
    ]);
  });
});

test("a quick check says that archives were not read, and removes no repository", async () => {
  const store = await bucketWith({ copies: [kopiaCopy] });
  const { backups, summary } = await check(store, { quick: true, nowMs: Date.now() + 25 * 3_600_000 });
  expect(backups[0]).toMatchObject({ state: "whole" });
  expect(backups[0]?.findings.map(({ code }) => code)).toEqual(["not-checked"]);
  expect(summary.removals).toEqual([]);
});

test("data that was moved counts as a use, also where only the archive tells it", async () => {
  const store = await bucketWith({ volumeInfo: false });
  await store.delete("restic/shop/config");
  const upload = {
    apiVersion: "velero.io/v2alpha1",
    kind: "DataUpload",
    metadata: { name: "u1", namespace: "velero" },
    spec: { sourceNamespace: "shop" },
    status: { snapshotID: kopiaId },
  };
  await store.put(
    key("contents"),
    tarGz([
      { name: "resources/datauploads.velero.io/namespaces/velero/u1.json", body: JSON.stringify(upload) },
    ]),
  );
  const { backups, repositories: repos } = await check(store);
  expect(backups[0]).toMatchObject({ state: "whole", restorable: { velero: { from: "1.12" } } });
  expect(repos).toEqual([expect.objectContaining({ name: "kopia/shop", backups: 1, findings: [] })]);
});
