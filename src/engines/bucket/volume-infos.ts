import { grammar, StoredFields } from "../../api/index.ts";

/** What is taken of one entry of a stored volume info. */
export interface VolumeInfoFacts {
  readonly method?: "NativeSnapshot" | "PodVolumeBackup" | "CSISnapshot";
  readonly isSkipped: boolean;
  readonly claimNamespace?: string;
  readonly claimName?: string;
  /** Of a volume that was copied file by file. */
  readonly copy?: {
    readonly snapshotId?: string;
    readonly uploader?: string;
    readonly namespace?: string;
    readonly pod?: string;
    readonly volume?: string;
  };
  /** Of a snapshot whose data was moved into a repository. */
  readonly moved?: { readonly snapshotId?: string; readonly mover?: string; readonly bytes?: number };
}

const methods = ["NativeSnapshot", "PodVolumeBackup", "CSISnapshot"] as const;

/** Reads a stored volume info, each field of its form. */
export function readVolumeInfos(list: readonly unknown[], file: string): readonly VolumeInfoFacts[] {
  return list.map((one, at) => {
    const info = new StoredFields(file, `[${at}]`, one);
    const method = info.oneOf("backupMethod", methods);
    const claimNamespace = info.optional("pvcNamespace", grammar.namespace);
    const claimName = info.optional("pvcName", grammar.name);
    return {
      isSkipped: info.raw["skipped"] === true,
      ...(method !== undefined && { method }),
      ...(claimNamespace !== undefined && { claimNamespace }),
      ...(claimName !== undefined && { claimName }),
      ...(method === "PodVolumeBackup" && { copy: copyOf(info.object("pvbInfo")) }),
      ...(info.raw["snapshotDataMoved"] === true && {
        moved: movedOf(info.object("snapshotDataMovementInfo")),
      }),
    };
  });
}

function copyOf(info: StoredFields): NonNullable<VolumeInfoFacts["copy"]> {
  return texts({
    snapshotId: info.optional("snapshotHandle", grammar.line),
    uploader: info.optional("uploaderType", grammar.line),
    namespace: info.optional("podNamespace", grammar.namespace),
    pod: info.optional("podName", grammar.name),
    volume: info.optional("volumeName", grammar.line),
  });
}

function movedOf(info: StoredFields): NonNullable<VolumeInfoFacts["moved"]> {
  const bytes = info.count("size");
  return {
    ...texts({
      snapshotId: info.optional("snapshotHandle", grammar.line),
      mover: info.optional("dataMover", grammar.line),
    }),
    ...(bytes !== undefined && { bytes }),
  };
}

/** Without what is not there. */
function texts<K extends string>(all: Readonly<Record<K, string | undefined>>): { [key in K]?: string } {
  const there = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as { [key in K]?: string }; // what is left are texts
}
