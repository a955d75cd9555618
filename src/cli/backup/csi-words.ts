import { isRecord } from "../../api/index.ts";

/** What a volume information says of a claim with a CSI snapshot; whoever can write to the bucket decides what it holds. */
export interface CsiVolume {
  /** `namespace/name` of the claim. */
  readonly claim: string;
  readonly isMoved: boolean;
  readonly result: string;
  readonly facts: readonly (readonly [string, string])[];
}

/** The CSI volumes of a file of volume informations, of a backup or a restore, in the order of their claims. */
export function readCsiVolumes(value: unknown): readonly CsiVolume[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isRecord)
    .filter(({ backupMethod, restoreMethod }) => (backupMethod ?? restoreMethod) === "CSISnapshot")
    .map((info) => {
      const isMoved = info["snapshotDataMoved"] === true;
      return {
        claim: `${word(info["pvcNamespace"])}/${word(info["pvcName"])}`,
        isMoved,
        result: word(info["result"]),
        facts: isMoved
          ? movementFacts(info["snapshotDataMovementInfo"])
          : snapshotFacts(info["csiSnapshotInfo"]),
      };
    })
    .toSorted((a, b) => a.claim.localeCompare(b.claim));
}

/** The section of a description, with upstream's labels; what is not known of a claim has no line. */
export function csiWords(volumes: readonly CsiVolume[], details: boolean): string {
  return volumes
    .flatMap(({ claim, isMoved, facts, result }) => {
      const title = isMoved ? "Data Movement" : "Snapshot";
      const known = [...facts, ["Result", result] as const].filter(([, text]) => text !== "");
      if (!details)
        return [`    ${claim}:`, `      ${title}: included, specify --details for more information`];
      return [`    ${claim}:`, `      ${title}:`, ...known.map(([name, text]) => `        ${name}: ${text}`)];
    })
    .join("\n");
}

function snapshotFacts(info: unknown): readonly (readonly [string, string])[] {
  const { operationID, vscName, snapshotHandle, size, driver } = isRecord(info) ? info : {};
  return [
    ["Operation ID", word(operationID)],
    ["Snapshot Content Name", word(vscName)],
    ["Storage Snapshot ID", word(snapshotHandle)],
    ["Snapshot Size (bytes)", word(size)],
    ["CSI Driver", word(driver)],
  ];
}

function movementFacts(info: unknown): readonly (readonly [string, string])[] {
  const { operationID, dataMover, uploaderType, size, incrementalSize } = isRecord(info) ? info : {};
  return [
    ["Operation ID", word(operationID)],
    ["Data Mover", word(dataMover)],
    ["Uploader Type", word(uploaderType)],
    ["Moved data Size (bytes)", word(size)],
    ["Incremental data Size (bytes)", word(incrementalSize)],
  ];
}

function word(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.slice(0, 500) : "";
}
