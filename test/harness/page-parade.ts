import type { PageWorld } from "./page-world.ts";

/** A time as Kubernetes writes it, so many seconds ago. */
export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

const gib = 1024 ** 3;
const mib = 1024 ** 2;

/** A backup as Velero tells it, with its volumes. */
export async function paradeBackup(
  world: PageWorld,
  name: string,
  volumes: readonly string[],
): Promise<void> {
  const [app = name] = name.split("-");
  await world.create("Backup", name, { includedNamespaces: [app] });
  await world.write("Backup", name, {
    phase: "InProgress",
    startTimestamp: ago(140),
    progress: { itemsBackedUp: 212, totalItems: 240 },
  });
  for (const [i, volume] of volumes.entries()) {
    const meta = { labels: { "velero.io/backup-name": name } };
    const pod = { kind: "Pod", namespace: app, name: `${volume}-0` };
    await world.create(
      "PodVolumeBackup",
      `${name}-${volume}`,
      {
        node: "node-1",
        pod,
        volume,
        backupStorageLocation: "default",
        repoIdentifier: "r",
        uploaderType: "kopia",
      },
      meta,
    );
    await world.write("PodVolumeBackup", `${name}-${volume}`, {
      phase: "InProgress",
      startTimestamp: ago(90),
      progress: { totalBytes: (i + 1) * 4 * gib, bytesDone: 0 },
    });
  }
}

/** Moves one volume of a backup to a share of its bytes. */
export async function moveVolume(
  world: PageWorld,
  name: string,
  totalBytes: number,
  share: number,
): Promise<void> {
  await world.write("PodVolumeBackup", name, {
    phase: "InProgress",
    progress: { totalBytes, bytesDone: Math.round(totalBytes * share) },
  });
}

/** An action set as Kanister tells it. */
export async function paradeActions(world: PageWorld, name: string, percent: string): Promise<void> {
  const object = { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "shop", name: "mysql" };
  await world.create("ActionSet", name, { actions: [{ name: "backup", blueprint: "mysql", object }] });
  await writeActions(world, name, "running", percent);
}

/** Writes how far an action set is. */
export async function writeActions(
  world: PageWorld,
  name: string,
  state: "running" | "complete",
  percent: string,
): Promise<void> {
  const object = { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "shop", name: "mysql" };
  const isOver = state === "complete";
  const phases = [
    {
      name: "quiesce",
      state: "complete",
      startTime: ago(80),
      endTime: ago(74),
      progress: { progressPercent: "100" },
    },
    {
      name: "dump",
      state: isOver ? "complete" : "running",
      startTime: ago(74),
      ...(isOver && { endTime: ago(1) }),
      progress: { progressPercent: percent },
    },
    {
      name: "resume",
      state: isOver ? "complete" : "pending",
      progress: { progressPercent: isOver ? "100" : "0" },
    },
  ];
  await world.write("ActionSet", name, {
    state,
    progress: { percentCompleted: percent, runningPhase: isOver ? "" : "dump" },
    actions: [{ name: "backup", blueprint: "mysql", object, phases }],
  });
}

const stepNames = ["Prepare", "Backup", "VolumeBackup", "VolumeRestore", "Restore", "Final"] as const;

/** A migration that copies volumes, as its controller tells it. */
export async function paradeMigration(world: PageWorld, name: string): Promise<void> {
  await world.create("MigMigration", name, {
    stage: false,
    migPlanRef: { name: "shop", namespace: world.namespace },
  });
  await writeMigration(world, name, 0.4);
}

/** Writes a migration that is in its volume backup. */
export async function writeMigration(world: PageWorld, name: string, share: number): Promise<void> {
  const total = 3 * gib;
  const detail = (kind: string, volume: string, cluster: string, done: number) => ({
    kind,
    namespace: "shop",
    name: volume,
    cluster,
    state: done >= total ? "completed" : done === 0 ? "pending" : "running",
    done,
    total,
    unit: "bytes",
    phase: "StageBackupCreated",
    ...(done > 0 && { startedAt: ago(60) }),
  });
  const started = { Prepare: 200, Backup: 180, VolumeBackup: 120 } as Readonly<Record<string, number>>;
  await world.write("MigMigration", name, {
    phase: "StageBackupCreated",
    itinerary: "Final",
    startTimestamp: ago(200),
    conditions: [
      {
        type: "Running",
        status: "True",
        category: "Advisory",
        reason: "StageBackupCreated",
        message: "Step: 18/33",
        lastTransitionTime: ago(95),
      },
    ],
    pipeline: stepNames.map((step) => ({
      name: step,
      ...(started[step] !== undefined && { started: ago(started[step]) }),
      ...((step === "Prepare" || step === "Backup") && { completed: ago((started[step] ?? 0) - 18) }),
      ...(step === "VolumeBackup" && {
        phase: "StageBackupCreated",
        details: [
          detail("PodVolumeBackup", "mysql-data", "source", Math.round(total * share)),
          detail("PodVolumeBackup", "uploads", "source", Math.round(total * Math.min(1, share * 2))),
          detail("PodVolumeRestore", "mysql-data", "destination", 0),
        ],
        phases: [
          { name: "EnsureStagePodsFromRunning", started: ago(120), completed: ago(111) },
          { name: "StagePodsCreated", started: ago(111), completed: ago(96) },
          { name: "EnsureStageBackup", started: ago(96), completed: ago(95) },
          { name: "StageBackupCreated", started: ago(95) },
        ],
      }),
    })),
  });
}

/** Scenario 2 of the design: the migration fails while volumes are backed up, skips the rest, and cleans up. */
export async function paradeFailure(world: PageWorld, name: string): Promise<void> {
  await world.create("MigMigration", name, {
    stage: false,
    migPlanRef: { name: "blog", namespace: world.namespace },
  });
  const reason =
    "Backup: openshift-migration/stage-x4b2 failed: volume wordpress-0/data: repository is locked";
  await world.write("MigMigration", name, {
    phase: "Completed",
    itinerary: "Failed",
    startTimestamp: ago(900),
    errors: [reason],
    conditions: [
      {
        type: "Failed",
        status: "True",
        category: "Advisory",
        reason: "StageBackupCreated",
        message: "The migration has failed. See: Errors.",
        durable: true,
        lastTransitionTime: ago(640),
      },
    ],
    pipeline: [
      { name: "Prepare", started: ago(900), completed: ago(880) },
      { name: "Backup", started: ago(880), completed: ago(820) },
      {
        name: "VolumeBackup",
        started: ago(820),
        completed: ago(640),
        failed: true,
        phase: "StageBackupCreated",
        message: `StageBackupCreated: ${reason}`,
      },
      { name: "VolumeRestore", skipped: true },
      { name: "Restore", skipped: true },
      { name: "Final", started: ago(640), completed: ago(610) },
    ],
  });
}

/** Everything at once, for a look at the page: things that run, wait, stand still, failed and ended. */
export async function parade(world: PageWorld): Promise<void> {
  await paradeBackup(world, "shop-nightly", ["database", "uploads", "search"]);
  await moveVolume(world, "shop-nightly-database", 4 * gib, 0.62);
  await moveVolume(world, "shop-nightly-uploads", 8 * gib, 0.3);
  await paradeActions(world, "mysql-dump", "37.50");
  await paradeMigration(world, "shop-to-cloud");
  await paradeFailure(world, "blog-to-cloud");
  await world.create("Backup", "payroll-weekly", { includedNamespaces: ["payroll"] });
  await world.write("Backup", "payroll-weekly", { phase: "Queued", queuePosition: 1 });
  const ended = [
    ["Backup", "shop-sunday", "Completed", 86_400 * 1.2, 412, 0],
    ["Backup", "blog-sunday", "PartiallyFailed", 5_000, 96, 3],
    ["Restore", "shop-drill", "Completed", 86_400 * 2.5, 250, 0],
    ["Backup", "payroll-sunday", "Completed", 86_400 * 1.1, 1_280, 0],
  ] as const;
  for (const [kind, name, phase, since, seconds, errors] of ended) {
    await world.create(kind, name, kind === "Restore" ? { backupName: "shop-sunday" } : {});
    await world.write(kind, name, {
      phase,
      errors,
      startTimestamp: ago(since),
      completionTimestamp: ago(since - seconds),
      progress:
        kind === "Restore"
          ? { itemsRestored: 240, totalItems: 240 }
          : { itemsBackedUp: 240, totalItems: 240 },
    });
  }
  await moveVolume(world, "shop-nightly-search", 12 * gib, (500 * mib) / (12 * gib));
}
