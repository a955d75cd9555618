import { type Grammar, grammar } from "../conventions/grammar.ts";
import { type Backup, backupPhases } from "../velero/backup.ts";
import { StoredFields } from "./fields.ts";

/** What is taken of a stored Backup. Spec and status go through the API server's schema when it is created. */
export interface StoredBackup {
  readonly name: string;
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The Schedules that it says made it. */
  readonly schedules: readonly { readonly name: string; readonly uid: string }[];
  readonly spec: NonNullable<Backup["spec"]>;
  readonly status: NonNullable<Backup["status"]>;
  readonly phase: (typeof backupPhases)[number];
  readonly expiration: string | undefined;
}

/** Keys of ours say what this cluster does; a file of a bucket has no say in that. */
const ours = /^([^/]*\.)?headway\.dev\//;

/** As the API server has it: the letters of an annotation's name may be large everywhere. */
const annotationKey: Grammar = {
  words: "the name of an annotation",
  fits: (text) => grammar.labelKey.fits(text.toLowerCase()),
};

/** Reads a stored Backup; STORED_INVALID when it is none, or not the one that its folder names. */
export function readStoredBackup(value: unknown, file: string, name: string): StoredBackup {
  const backup = new StoredFields(file, "", value);
  if (backup.oneOf("kind", ["Backup"]) === undefined) backup.refuse("kind", "Backup");
  if (backup.oneOf("apiVersion", ["velero.io/v1"]) === undefined) backup.refuse("apiVersion", "velero.io/v1");
  const metadata = backup.object("metadata");
  if (metadata.text("name", grammar.name) !== name) metadata.refuse("name", "the name of its folder");
  const status = backup.object("status");
  const expiration = status.time("expiration");
  return {
    name,
    uid: metadata.optional("uid", grammar.uid),
    labels: others(metadata.map("labels", grammar.labelKey, grammar.labelValue)),
    annotations: others(metadata.map("annotations", annotationKey, undefined)),
    schedules: metadata
      .list("ownerReferences")
      .flatMap((owner) =>
        owner.raw["kind"] === "Schedule"
          ? [{ name: owner.text("name", grammar.name), uid: owner.text("uid", grammar.uid) }]
          : [],
      ),
    spec: backup.object("spec").raw,
    status: status.raw,
    phase: status.oneOf("phase", backupPhases) ?? "New",
    expiration,
  };
}

function others(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !ours.test(key)));
}
