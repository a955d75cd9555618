import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Backup, BackupStorageLocation } from "../../src/api/index.ts";
import { eventually } from "../harness/eventually.ts";
import { type Attack, mustHold } from "./attack.ts";
import type { Stage } from "./stage.ts";

const noMounts = (() => {
  const probe = mkdtempSync(join(tmpdir(), "mount-probe-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "none", probe], { stdio: "ignore" });
    execFileSync("umount", [probe], { stdio: "ignore" });
    return undefined;
  } catch {
    return "file systems cannot be mounted here";
  } finally {
    rmSync(probe, { recursive: true });
  }
})();

/** Waits until a location is so. */
function location(stage: Stage, phase: string): Promise<BackupStorageLocation> {
  return eventually(
    () => stage.get<BackupStorageLocation>("BackupStorageLocation", "disk"),
    ({ status }) => status?.phase === phase,
    60_000,
  );
}

/** Attacks on the place where backups lie. */
export const placeAttacks: readonly Attack[] = [
  {
    kind: "lost file system",
    tried: "a file system location that is unmounted before the operator starts again",
    impossible: noMounts,
    async run(stage) {
      const disk = join(stage.folder, "disk");
      mkdirSync(disk);
      execFileSync("mount", ["-t", "tmpfs", "none", disk]);
      let isMounted = true;
      try {
        const periods = { backupSyncPeriod: "1s", validationFrequency: "1s" };
        const spec = {
          provider: "filesystem",
          objectStorage: { bucket: "b" },
          config: { path: disk },
          ...periods,
        };
        await stage.create("BackupStorageLocation", "disk", { spec });
        await location(stage, "Available");
        await stage.create("Backup", "on-disk", {
          spec: { storageLocation: "disk", includedNamespaces: [stage.victim.namespace] },
        });
        const made = await eventually(
          () => stage.get<Backup>("Backup", "on-disk"),
          ({ status }) => /Completed|Failed/.test(status?.phase ?? ""),
          120_000,
        );
        mustHold(made.status?.phase === "Completed", `the backup is ${made.status?.phase}`);
        await stage.operator?.stop();
        execFileSync("umount", [disk]);
        isMounted = false;
        await stage.startOperator();
        const { status } = await location(stage, "Unavailable");
        // A second validation comes a second later; the search of the others shows that the operator is awake.
        await stage.syncEvery("1s");
        await stage.searched();
        const kept = await stage.get<Backup>("Backup", "on-disk").then(
          () => true,
          () => false,
        );
        mustHold(kept, "the Backup was deleted");
        mustHold(readdirSync(disk).length === 0, `made below the mount point: ${readdirSync(disk).join()}`);
        return `Unavailable: ${status?.message}; the Backup stays, nothing was made`;
      } finally {
        if (isMounted) execFileSync("umount", [disk]);
      }
    },
  },
];
