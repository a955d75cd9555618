import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BackupRepository } from "../../src/api/index.ts";
import { resources } from "../../src/engines/podvolume/index.ts";
import { eventually } from "../harness/eventually.ts";
import { type Attack, mustHold } from "./attack.ts";
import { fileLocation } from "./movers.ts";
import type { Stage } from "./stage.ts";

const measuredMs = 10_000;
/** A tenth of a core: an operator at rest takes a hundredth. */
const cpuLimit = measuredMs / 10_000;
const lineLimit = 60;

/** What the operator takes of the processor and writes into its log in ten seconds. */
async function atRest(stage: Stage): Promise<string> {
  const { operator } = stage;
  if (!operator) throw new Error("there is no operator");
  const [cpu, lines] = [operator.cpuSeconds(), operator.logLines()];
  await pause(measuredMs);
  const [took, wrote] = [operator.cpuSeconds() - cpu, operator.logLines() - lines];
  const seen = `${took.toFixed(2)} s of processor and ${wrote} lines of log in ${measuredMs / 1000} s`;
  mustHold(took < cpuLimit && wrote < lineLimit, seen);
  return seen;
}

function period(title: string, spec: object): Attack {
  const name = `odd-${crypto.randomUUID().slice(0, 8)}`;
  return {
    kind: "odd period",
    tried: `a location with ${title}`,
    async run(stage) {
      await stage.syncEvery("1h");
      const location = await fileLocation(stage, name, join(stage.folder, name), spec);
      const seen = await atRest(stage);
      await stage.client.delete(resources.locations, name, { namespace: stage.namespace });
      return [seen, location.status?.message].filter(Boolean).join("; ");
    },
  };
}

const maintenance: Attack = {
  kind: "odd period",
  tried: "repositories with a maintenanceFrequency of 720h, 1ns and -1h",
  async run(stage) {
    await stage.syncEvery("1h");
    await fileLocation(stage, "upkeep", join(stage.folder, "upkeep"));
    for (const [i, maintenanceFrequency] of ["720h", "1ns", "-1h"].entries()) {
      await stage.create("BackupRepository", `upkeep-${i}`, {
        spec: {
          volumeNamespace: `upkeep-${i}`,
          backupStorageLocation: "upkeep",
          repositoryType: "kopia",
          maintenanceFrequency,
        },
      });
    }
    const ready = await eventually(
      () =>
        Promise.all(
          [0, 1, 2].map(
            async (i) =>
              (await stage.get<BackupRepository>("BackupRepository", `upkeep-${i}`)).status?.phase ?? "",
          ),
        ),
      (phases) => phases.every((phase) => phase === "Ready" || phase === "NotReady"),
      90_000,
    );
    await pause(5_000);
    return `${ready.join(", ")}; ${await atRest(stage)}`;
  },
};

const farAway: Attack = {
  kind: "odd period",
  tried: "a DownloadRequest that expires in 2130, and one whose expiration is no time",
  async run(stage) {
    await stage.syncEvery("1h");
    const spec = { target: { kind: "BackupLog", name: "none" } };
    await stage.create("DownloadRequest", "far", {
      spec,
      status: { phase: "Processed", expiration: "2130-01-01T00:00:00Z" },
    });
    await stage.create("DownloadRequest", "bad", {
      spec,
      status: { phase: "Processed", expiration: "0001-01-01T00:00:00Z" },
    });
    return atRest(stage);
  },
};

/** Attacks by times. */
export const timeAttacks: readonly Attack[] = [
  period("periods of 720h", { validationFrequency: "720h", backupSyncPeriod: "720h" }),
  period("negative periods", { validationFrequency: "-5m", backupSyncPeriod: "-1s" }),
  period("periods of a nanosecond", { validationFrequency: "1ns", backupSyncPeriod: "1ns" }),
  maintenance,
  farAway,
];
