import { isRecord, type JsonRecord, own } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { JsonScan, parseScanned } from "../../store/index.ts";

/** What is known of an item that an action gave back. */
export interface ChangedItem {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Absent for items without one. */
  readonly namespace?: string;
  /** Its additional items come in whatever the filters say. */
  readonly mustInclude: boolean;
  /** The action wants it left out of the backup. */
  readonly isDropped: boolean;
}

/** Said by an action on the item it gives back; taken off again. */
const mustInclude = "backup.velero.io/must-include-additional-items";
const skip = "velero.io/skip-from-backup";
/** What restores read at most, see there. */
const itemLimit = 16 << 20;

/** Reads what an action gave back, or refuses it in the plugin's name: it ends in an archive that others must read. */
export function changedItem(
  plugin: string,
  bytes: Uint8Array,
  before: { readonly namespace?: string | undefined },
): ChangedItem {
  const item = parsed(plugin, bytes);
  const metadata = own(item, "metadata");
  const name = isRecord(metadata) ? own(metadata, "name") : undefined;
  const namespace = isRecord(metadata) ? (own(metadata, "namespace") ?? "") : "";
  if (
    typeof own(item, "apiVersion") !== "string" ||
    typeof own(item, "kind") !== "string" ||
    !isPlace(name)
  ) {
    throw refused(plugin, "something that is no Kubernetes object");
  }
  if (before.namespace === undefined ? namespace !== "" : !isPlace(namespace)) {
    throw refused(
      plugin,
      before.namespace === undefined
        ? "an item with a namespace, which its type has not"
        : "an item without a namespace",
    );
  }
  const annotations = isRecord(metadata) ? own(metadata, "annotations") : undefined;
  const marks = isRecord(annotations) ? annotations : {};
  const isMarked = own(marks, mustInclude) !== undefined;
  return {
    bytes: isMarked ? unmarked(bytes) : bytes,
    name,
    ...(typeof namespace === "string" && namespace !== "" && { namespace }),
    mustInclude: own(marks, mustInclude) === "true",
    isDropped: own(marks, skip) !== undefined,
  };
}

function parsed(plugin: string, bytes: Uint8Array): JsonRecord {
  if (bytes.length > itemLimit) throw refused(plugin, `an item of ${bytes.length} bytes`);
  let item: unknown;
  try {
    item = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  } catch {
    throw refused(plugin, "something that is no JSON"); // the parser's own words quote the content, which may be a Secret
  }
  return isRecord(item) ? item : refuse(plugin, "something that is no Kubernetes object");
}

/** The item without the mark; its numbers stay as they are written. */
function unmarked(bytes: Uint8Array): Uint8Array {
  const scan = new JsonScan();
  scan.push(bytes);
  const read = parseScanned(bytes, scan);
  if (!("value" in read) || !isRecord(read.value)) return bytes;
  const item = read.value;
  const metadata = own(item, "metadata");
  if (!isRecord(metadata)) return bytes;
  const annotations = own(metadata, "annotations");
  if (!isRecord(annotations)) return bytes;
  const { [mustInclude]: _, ...rest } = annotations;
  return Buffer.from(JSON.stringify({ ...item, metadata: { ...metadata, annotations: rest } }));
}

/** Whether a name can be part of a path in an archive. */
function isPlace(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name !== "" &&
    name.length <= 253 &&
    name !== "." &&
    name !== ".." &&
    !/[/\\\0]/.test(name)
  );
}

function refuse(plugin: string, what: string): never {
  throw refused(plugin, what);
}

function refused(plugin: string, what: string): AppError {
  return new AppError("PLUGIN_FAILED", `plugin "${plugin}" gave back ${what}`);
}
