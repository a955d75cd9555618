import { carriedAnnotation, type KubeObject } from "../../api/index.ts";

/** What a mover's process has read and written so far. */
export interface Through {
  readonly readBytes: number;
  readonly writtenBytes: number;
}

/** What of it tells how far a copy is: a backup is where its bytes are written to, a restore where they are read from. */
export function carriedOf(kind: string, { readBytes, writtenBytes }: Through): number {
  return kind === "PodVolumeRestore" || kind === "DataDownload" ? readBytes : writtenBytes;
}

/** The metadata that says how much the mover's process has moved. */
export function writeCarried(bytes: number | undefined) {
  return { annotations: { [carriedAnnotation]: bytes === undefined ? null : String(Math.round(bytes)) } };
}

/** How much the mover's process has moved, as its agent says; upstream's agents never say it. */
export function readCarried({ metadata }: Pick<KubeObject, "metadata">): number | undefined {
  const note = metadata.annotations?.[carriedAnnotation] ?? "";
  const bytes = /^\d{1,16}$/.test(note) ? Number(note) : undefined;
  return bytes !== undefined && Number.isSafeInteger(bytes) ? bytes : undefined;
}
