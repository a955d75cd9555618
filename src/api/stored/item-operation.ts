import { grammar } from "../conventions/grammar.ts";
import { type StoredFields, storedItems } from "./fields.ts";
import { present } from "./pod-volume-backup.ts";

/** What an operation on an item works on; the keys are upstream's, capital letters too. */
export interface StoredItemId {
  readonly Group: string;
  readonly Resource: string;
  readonly Namespace: string;
  readonly Name: string;
}

/** How far an operation on an item is, as upstream stores it; empty fields are left out. */
export interface StoredOperationStatus {
  readonly phase?: "New" | "InProgress" | "Completed" | "Failed" | "Canceled";
  readonly error?: string;
  readonly nCompleted?: number;
  readonly nTotal?: number;
  readonly operationUnits?: string;
  readonly description?: string;
  readonly created?: string;
  readonly started?: string;
  readonly updated?: string;
}

/** Work on an item of a backup that goes on after the item is archived: one entry of `<backup>-itemoperations.json.gz`. */
export interface StoredBackupOperation {
  readonly spec: {
    readonly backupName: string;
    readonly backupUID: string;
    readonly backupItemAction: string;
    readonly resourceIdentifier: StoredItemId;
    readonly operationID: string;
    /** Read again when the operation has ended; upstream writes null for none. */
    readonly postOperationItems: readonly StoredItemId[] | null;
  };
  readonly status: StoredOperationStatus;
}

/** The same of a restore: one entry of `restore-<restore>-itemoperations.json.gz`. */
export interface StoredRestoreOperation {
  readonly spec: {
    readonly restoreName: string;
    readonly restoreUID: string;
    readonly restoreItemAction: string;
    readonly resourceIdentifier: StoredItemId;
    readonly operationID: string;
  };
  readonly status: StoredOperationStatus;
}

/** The operations of a backup or of a restore as a store holds them, each field of its form. */
export function readStoredOperations(
  list: readonly unknown[],
  file: string,
  kind: "backup",
): readonly StoredBackupOperation[];
export function readStoredOperations(
  list: readonly unknown[],
  file: string,
  kind: "restore",
): readonly StoredRestoreOperation[];
export function readStoredOperations(
  list: readonly unknown[],
  file: string,
  kind: "backup" | "restore",
): readonly (StoredBackupOperation | StoredRestoreOperation)[] {
  return storedItems(file, list).map((one) => {
    const spec = one.object("spec");
    const common = {
      resourceIdentifier: itemId(spec.object("resourceIdentifier")),
      operationID: spec.text("operationID", anyId),
    };
    const status = statusOf(one.object("status"));
    if (kind === "restore") {
      const own = {
        restoreName: spec.text("restoreName", grammar.name),
        restoreUID: spec.optional("restoreUID", grammar.uid) ?? "",
        restoreItemAction: spec.text("restoreItemAction", grammar.plugin),
      };
      return { spec: { ...own, ...common }, status };
    }
    const items = spec.list("postOperationItems").map(itemId);
    const own = {
      backupName: spec.text("backupName", grammar.name),
      backupUID: spec.optional("backupUID", grammar.uid) ?? "",
      backupItemAction: spec.text("backupItemAction", grammar.plugin),
      postOperationItems: items.length > 0 ? items : null,
    };
    return { spec: { ...own, ...common }, status };
  });
}

const phases = ["New", "InProgress", "Completed", "Failed", "Canceled"] as const;
/** What an id may be is the plugin's business; its size is ours. */
const anyId = { words: "an id of 8192 characters at most", fits: (text: string) => text.length <= 8192 };

function itemId(item: StoredFields): StoredItemId {
  return {
    Group: item.optional("Group", grammar.name) ?? "",
    Resource: item.text("Resource", grammar.name),
    Namespace: item.optional("Namespace", grammar.name) ?? "",
    Name: item.text("Name", grammar.line),
  };
}

function statusOf(status: StoredFields): StoredOperationStatus {
  return present({
    phase: status.oneOf("phase", phases),
    error: status.remark("error", 4096),
    nCompleted: status.count("nCompleted"),
    nTotal: status.count("nTotal"),
    operationUnits: status.remark("operationUnits", 64),
    description: status.remark("description", 4096),
    created: status.time("created"),
    started: status.time("started"),
    updated: status.time("updated"),
  });
}
