import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { bool, choice, described, nullable, obj, str, strings, timeOrNull } from "../schema.ts";
import { backupSpec } from "./backup.ts";
import { v1 } from "./group.ts";

/** The kind Schedule. */
export const schedule = defineKind({
  ...v1,
  kind: "Schedule",
  plural: "schedules",
  description: "Backups made at given times",
  fields: {
    spec: obj(
      "What to back up, and when",
      {
        template: described("The spec of the backups", backupSpec),
        schedule: str("When: five cron fields, or a descriptor such as @every 1h"),
        useOwnerReferencesInBackup: nullable(bool("Whether the Schedule owns its backups")),
        paused: bool("Whether no backups are made for now"),
        skipImmediately: bool("Whether a backup that is due at creation or unpausing is skipped"),
      },
      ["schedule", "template"],
    ),
    status: obj("How the schedule goes", {
      phase: choice("Where the schedule stands", ["New", "Enabled", "FailedValidation"]),
      lastBackup: timeOrNull("When the last backup was made"),
      lastSkipped: timeOrNull("When the last backup was skipped"),
      validationErrors: strings("Why the spec was refused"),
    }),
  },
  columns: [
    column("Status", ".status.phase"),
    column("Schedule", ".spec.schedule"),
    column("LastBackup", ".status.lastBackup", "date"),
    ageColumn,
    column("Paused", ".spec.paused", "boolean"),
  ],
});

/** Backups made at given times. */
export type Schedule = ObjectOf<typeof schedule>;
