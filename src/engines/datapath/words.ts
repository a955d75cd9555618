import { grammar } from "../../api/index.ts";
import { definitionOf, snapshotMover } from "../../movers/index.ts";
import { isUpload, type Movement } from "./shapes.ts";

/** Whether the movement is for the built-in data mover: those of others are left alone. */
export function isBuiltIn({ spec }: Movement): boolean {
  return ["", "velero", "velero-fs"].includes(spec?.datamover ?? "");
}

/** Why a movement cannot be done as it is written; its words become names of objects and arguments of programs. */
export function faultOf(movement: Movement): string | undefined {
  for (const [what, text, { words, fits }] of wordsOf(movement)) {
    if (fits(text)) continue;
    const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
    return `${what} is ${shown}, not ${words}`;
  }
  return undefined;
}

type Word = readonly [
  what: string,
  text: string,
  form: { readonly words: string; readonly fits: (text: string) => boolean },
];

function wordsOf(movement: Movement): readonly Word[] {
  const { spec } = movement;
  const common: readonly Word[] = [
    ["the source namespace", spec?.sourceNamespace ?? "", grammar.namespace],
    ["the storage location", spec?.backupStorageLocation ?? "", grammar.name],
  ];
  if (isUpload(movement)) {
    const type = movement.spec?.snapshotType ?? "";
    return [
      ...common,
      ["the kind of snapshot", type, { words: '"CSI"', fits: (text) => text === "CSI" }],
      ["the claim", movement.spec?.sourcePVC ?? "", grammar.name],
      ["the VolumeSnapshot", movement.spec?.csiSnapshot?.volumeSnapshot ?? "", grammar.name],
    ];
  }
  const { targetVolume, snapshotID = "" } = movement.spec ?? {};
  return [
    ...common,
    ["the claim", targetVolume?.pvc ?? "", grammar.name],
    ["the namespace of the claim", targetVolume?.namespace ?? "", grammar.namespace],
    ["the snapshot", snapshotID, definitionOf(snapshotMover).snapshot],
  ];
}
