import { ageColumn, bytesColumn, column } from "../kind.ts";
import { choice, int64, obj, str, timeOrNull } from "../schema.ts";

/** Phases of everything that moves the bytes of one volume; a missing or empty phase means New. */
export const dataPathPhases = [
  "New",
  "Accepted",
  "Prepared",
  "InProgress",
  "Canceling",
  "Canceled",
  "Completed",
  "Failed",
] as const;

/** Bytes done out of bytes in all. Go leaves zeros out, so a missing number may mean zero. */
export const bytesProgress = obj("How many bytes are done", {
  totalBytes: int64("Bytes in all"),
  bytesDone: int64("Bytes done so far"),
});

/** The part of the status that all movers of volumes share. */
export const dataPathStatus = {
  phase: choice("Where the work stands", dataPathPhases),
  message: str("What went wrong, or a remark"),
  startTimestamp: timeOrNull("When data began to move"),
  completionTimestamp: timeOrNull("When the work ended, well or not"),
  acceptedTimestamp: timeOrNull("When a node took the work"),
  progress: bytesProgress,
};

/** The columns that all movers of volumes share; `middle` goes between the bytes and the location. */
export const dataPathColumns = (middle: readonly ReturnType<typeof column>[] = []) => [
  column("Status", ".status.phase", "string", { description: "Where the work stands" }),
  column("Started", ".status.startTimestamp", "date", { description: "Time since data began to move" }),
  bytesColumn("Bytes Done", ".status.progress.bytesDone", { description: "Bytes done so far" }),
  bytesColumn("Total Bytes", ".status.progress.totalBytes", { description: "Bytes in all" }),
  ...middle,
  column("Storage Location", ".spec.backupStorageLocation", "string", {
    description: "BackupStorageLocation of the data",
  }),
  ageColumn,
  column("Node", ".status.node", "string", { description: "Node that does the work" }),
];

/** Bytes that this run had to add to the repository; shown with `-o wide`. */
export const incrementalColumn = bytesColumn("Incremental Bytes", ".status.incrementalBytes", {
  description: "Bytes this run added to the repository",
  priority: 10,
});
