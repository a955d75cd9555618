import type { Backup, BackupStorageLocation, Restore, Schedule } from "../../../src/api/index.ts";
import { kinds } from "../../../src/api/index.ts";
import { admit as admitBackup, backupDefaults } from "../../../src/engines/backup/admission.ts";
import { filtersOf, listsType, mayWantGroup, refusesCompanion } from "../../../src/engines/backup/filters.ts";
import { hooksOf } from "../../../src/engines/backup/hooks.ts";
import { remarksOf } from "../../../src/engines/backup/location-words.ts";
import {
  backupNameOf,
  isUnfinished,
  planSchedule,
  scheduledBackup,
} from "../../../src/engines/backup/schedule-plan.ts";
import { admit as admitRestore } from "../../../src/engines/restore/admission.ts";
import { filtersOf as restoreFiltersOf } from "../../../src/engines/restore/choice.ts";
import { AppError } from "../../../src/errors.ts";
import { labelValue } from "../../../src/kube/index.ts";
import { locationFolder } from "../../../src/store/location.ts";
import { knownMarker } from "../../../src/store/marker.ts";
import { s3Settings } from "../../../src/store/s3-config.ts";
import { hostileText, type Json } from "../json.ts";
import { anObject, stored } from "../schema.ts";
import { target } from "../target.ts";

const nowMs = 1_800_000_000_000;
const types = [
  { group: "", plural: "pods", namespaced: true },
  { group: "", plural: "namespaces", namespaced: false },
  { group: "apps", plural: "deployments", namespaced: true },
];

/** A request of somebody, a location, and a pod with annotations. */
export const admission = target<{
  readonly asked: Json;
  readonly location: Json;
  readonly annotations: Json;
  readonly command: string;
}>({
  name: "admission",
  covers:
    "what people ask for: backups, restores, schedules and locations are checked and completed, filters, selectors and hooks made of them",
  make: (random) => ({
    asked: anObject(random, random.of([kinds.Backup, kinds.Backup, kinds.Restore, kinds.Schedule])),
    location: anObject(random, kinds.BackupStorageLocation),
    annotations: Object.fromEntries(
      ["command", "container", "on-error", "timeout"].map((word) => [
        `pre.hook.backup.velero.io/${word}`,
        hostileText(random),
      ]),
    ),
    command: random.oneIn(2) ? hostileText(random) : JSON.stringify([hostileText(random)]),
  }),
  run({ asked, location, annotations, command }) {
    const [object, place] = [
      stored<Backup | Restore | Schedule>(asked),
      stored<BackupStorageLocation>(location),
    ];
    if (place) useLocation(place);
    switch (object?.kind) {
      case "Backup":
        useBackup(object, place ? [place] : []);
        hooksOf(
          object.spec,
          pod({ ...(annotations as Record<string, string>), "pre.hook.backup.velero.io/command": command }),
          "pre",
        ); // texts, as made above
        hooksOf(object.spec, pod({}), "post");
        return undefined;
      case "Restore":
        useRestore(object, place ? [place] : []);
        return undefined;
      case "Schedule": {
        planSchedule(object, false, nowMs);
        const backup = scheduledBackup(object, backupNameOf(object.metadata.name, nowMs));
        isUnfinished(backup as unknown as Backup); // its own kind
        return undefined;
      }
      default:
        return false;
    }
  },
});

function useBackup(backup: Backup, locations: readonly BackupStorageLocation[]): void {
  const { spec } = admitBackup(backup, {
    locations,
    snapshotLocations: [{ name: "disks", provider: "aws" }],
    labelledNamespaces: ["kube-system"],
    gitVersion: "v1.34.1",
    labelValue,
    nowMs,
    defaults: backupDefaults,
  });
  const filters = filtersOf(spec, (word) => types.find(({ plural }) => plural === word));
  for (const type of types) {
    listsType(filters, type);
    refusesCompanion(filters, type);
  }
  mayWantGroup(filters, "apps", new Set(["pods"]));
}

function useRestore(restore: Restore, locations: readonly BackupStorageLocation[]): void {
  const { spec } = admitRestore(restore, { backups: [], locations, labelValue });
  const filters = restoreFiltersOf(spec, (word) => word);
  filters.admits("pods", "shop", "web");
  filters.target("shop");
}

function useLocation(location: BackupStorageLocation): void {
  remarksOf(location);
  knownMarker(location);
  const { config = {}, objectStorage } = location.spec ?? {};
  const spec = {
    bucket: objectStorage?.bucket ?? "",
    config: config ?? {},
    ...(objectStorage?.prefix && { credentials: objectStorage.prefix }),
  };
  for (const read of [locationFolder, s3Settings]) tolerant(() => read(spec));
}

/** What cannot be used is told in words. */
function tolerant(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function pod(annotations: Readonly<Record<string, string>>) {
  return {
    metadata: { name: "p", namespace: "shop", labels: { app: "shop" }, annotations },
    spec: { containers: [{ name: "db" }] },
  };
}
