import { expectedBytesAnnotation, type KubeObject } from "../../api/index.ts";

/** The annotation that says how large a copy is expected to be, from an earlier copy of the same volume. */
export function writeExpected(bytes: number | undefined): Readonly<Record<string, string>> {
  return bytes ? { [expectedBytesAnnotation]: String(bytes) } : {};
}

/** How large a copy is expected to be; a note that is no count says nothing. */
export function readExpected({ metadata }: Pick<KubeObject, "metadata">): number | undefined {
  const note = metadata.annotations?.[expectedBytesAnnotation] ?? "";
  const bytes = /^[1-9]\d{0,15}$/.test(note) ? Number(note) : undefined;
  return bytes !== undefined && Number.isSafeInteger(bytes) ? bytes : undefined;
}
