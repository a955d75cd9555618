import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bucketBackup, type CopiedVolume, putAll } from "../../harness/bucket-files.ts";
import { type BucketWorld, bucketWorld, missingBucket } from "../../harness/bucket-world.ts";
import { treeLines } from "../../harness/tree.ts";

interface Report {
  readonly backups: readonly {
    readonly name: string;
    readonly state: string;
    readonly volumes: number;
    readonly findings: readonly {
      readonly code: string;
      readonly weight: string;
      readonly message: string;
    }[];
    readonly restorable: { readonly velero?: { readonly until?: string } };
  }[];
  readonly repositories: readonly {
    readonly name: string;
    readonly snapshots?: number;
    readonly backups: number;
  }[];
  readonly removals: readonly { readonly prefix: string }[];
}

const wrong = (report: Report) =>
  report.backups.flatMap(({ name, findings }) =>
    findings.filter(({ weight }) => weight !== "note").map(({ code }) => `${name} ${code}`),
  );

describe.each(["folder", "s3"] as const)("a bucket with real repositories in a %s", (kind) => {
  const missing = missingBucket(kind) ?? (process.getuid?.() === 0 ? undefined : "not root");
  describe.skipIf(missing !== undefined)(missing === undefined ? "is" : `(skipped: ${missing})`, () => {
    let world: BucketWorld;
    const folders = new Map<string, string>();
    // A second life is tried once; that everything works over S3 too needs one volume.
    const pods = kind === "folder" ? ["db", "web", "cache"] : ["db"];

    beforeAll(async () => {
      world = await bucketWorld(kind);
      const copies: CopiedVolume[] = [];
      for (const [at, pod] of pods.entries()) {
        const volume = { namespace: "shop", pod, volume: "data" };
        const sizes = [0, 1, 70_000 * (at + 1), 3_000];
        const { folder, snapshotId, bytes } = await world.copied("restic", { ...volume, sizes });
        folders.set(pod, folder);
        // As upstream stores it: the first eight digits.
        copies.push({
          ...volume,
          uploader: "restic",
          snapshotId: snapshotId.slice(0, 8),
          bytes,
          claim: `${pod}-data`,
        });
      }
      const kopia = { namespace: "news", pod: "web", volume: "data" };
      const other = await world.copied("kopia", { ...kopia, sizes: [5_000] });
      const { snapshotId, bytes } = other;
      await putAll(world.store, bucketBackup("old", { copies }));
      await putAll(world.store, bucketBackup("older", { copies: copies.slice(0, 1), volumeInfo: false }));
      const new1: CopiedVolume = { ...kopia, uploader: "kopia", snapshotId, bytes };
      await putAll(world.store, bucketBackup("new", { copies: [new1] }));
    });
    afterAll(async () => await world?.close());

    const opened = () => [...world.address, "--password-file", world.passwordFile];
    const check = async (args: readonly string[]) => {
      const { code, out, err } = await world.headway(["bucket", "check", ...args, "-o", "json"]);
      expect(err).not.toContain("headway:");
      return { code, report: JSON.parse(out) as Report };
    };

    test("check: all is whole, and told is whom restic keeps out", async () => {
      const { code, report } = await check(opened());
      expect(wrong(report)).toEqual([]);
      expect(code).toBe(0);
      expect(
        report.backups.map(({ name, state, restorable }) => [name, state, restorable.velero?.until]),
      ).toEqual([
        ["new", "whole", undefined],
        ["old", "whole", "1.18"],
        ["older", "whole", "1.18"],
      ]);
      expect(report.repositories).toEqual([
        expect.objectContaining({ name: "kopia/news", snapshots: 1, backups: 1 }),
        expect.objectContaining({ name: "restic/shop", snapshots: pods.length, backups: 2 }),
      ]);
    });

    test("check: a wrong password, and a snapshot that is not there", async () => {
      const { code, out } = await world.headway(["bucket", "check", ...world.address, "--default-password"]);
      expect(out.match(/repository-password: the password does not open/g)).toHaveLength(2);
      expect(out).not.toContain("static-passw0rd");
      expect(code).toBe(1);
      const lost = { namespace: "shop", pod: "gone", volume: "data", snapshotId: "00000000" };
      await putAll(world.store, bucketBackup("lost", { copies: [lost] }));
      const { code: second, report } = await check(opened());
      expect(second).toBe(1);
      expect(wrong(report)).toEqual(["lost snapshot-missing"]);
      await world.store.deletePrefix("backups/lost/");
    });

    test("convert: ended in the middle it goes on, and every file is the same", async () => {
      const scratch = join(world.root, "room");
      await mkdir(scratch);
      const args = ["bucket", "convert", ...opened(), "--scratch", scratch];
      if (kind === "s3") {
        const { code, err } = await world.headway(args);
        expect(code, err).toBe(0);
        return;
      }
      const killed = await world.headway(args, await world.deadlyKopia(2));
      expect(killed.code, killed.err).toBeNull();
      expect(killed.out).toMatch(/old: shop\/db\/data is converted/);
      const { report: between } = await check(opened());
      expect(wrong(between)).toEqual([]);
      expect(between.backups.find(({ name }) => name === "old")?.restorable.velero?.until).toBe("1.18");

      const { code, out, err } = await world.headway(args);
      expect(code, err).toBe(0);
      expect(out).toMatch(/old: shop\/db\/data was converted before/);
      expect(out).toMatch(/old: shop\/web\/data is converted .* 7 files compared/);
      expect(out).toMatch(/older: Velero 1\.19 and later will take it/);

      // Each volume once, though the second life came after the second snapshot.
      const ids: string[] = [];
      const repository = world.repository("kopia", "shop");
      await world.mover("kopia").snapshots(repository, ({ id }) => void ids.push(id));
      expect(ids).toHaveLength(pods.length);
    });

    test("convert: the bytes are equal, and nobody is kept out", async () => {
      const { code, report } = await check(opened());
      expect(wrong(report)).toEqual([]);
      expect(report.backups.map(({ restorable }) => restorable.velero)).toEqual([
        { from: "1.10" },
        { from: "1.10" },
        { from: "1.10" },
      ]);
      expect(code, "the repository of restic is not used any more").toBe(1);
      const tree = async (id: string) => {
        const path = join(world.root, `back-${id}`);
        await mkdir(path);
        await world
          .mover("kopia")
          .restore({ repository: world.repository("kopia", "shop"), snapshotId: id, path });
        return treeLines(path);
      };
      const tagged = new Map<string, string>();
      await world.mover("kopia").snapshots(world.repository("kopia", "shop"), ({ id, tags }) => {
        const pod = tags.find((tag) => tag.startsWith("pod:"))?.slice("pod:".length);
        if (pod !== undefined) tagged.set(pod, id);
        expect(tags).toContain("snapshot-requester:snapshot-pod-volume");
      });
      for (const pod of pods)
        expect(await tree(tagged.get(pod) ?? "")).toEqual(treeLines(folders.get(pod) ?? ""));
    });

    test("convert --remove-restic: asks, then removes what nobody needs", async () => {
      const args = ["bucket", "convert", ...opened(), "--remove-restic"];
      expect((await world.headway(args)).code).toBe(2);
      const { code, err } = await world.headway([...args, "--yes"]);
      expect(code, err).toBe(0);
      expect(err).toContain("removed the repository restic/shop");
      const { code: clean, report } = await check(opened());
      expect(wrong(report)).toEqual([]);
      expect(clean).toBe(0);
      expect(report.backups.flatMap(({ findings }) => findings)).toEqual([]);
      expect(report.repositories.map(({ name }) => name)).toEqual(["kopia/news", "kopia/shop"]);
    });
  });
});
