import { isAbsolute } from "node:path";
import { AppError } from "../errors.ts";
import type { MoverKind, Place, S3Place } from "./mover.ts";

// What a program is started with comes from objects and buckets that others may write. Each builder of arguments asks here
// first, so a word that could be an option, another repository or another folder never reaches a program.

/** Restic names snapshots by 64 hexadecimal digits or the first of them; kopia's manifests have 32. */
const ids: Readonly<Record<MoverKind, RegExp>> = { restic: /^[0-9a-f]{8,64}$/, kopia: /^[0-9a-f]{32}$/ };
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const bucket = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;
const region = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const tagKey = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
/** Without the comma: restic takes it for the start of the next tag. */
const tagValue = /^[A-Za-z0-9._:/@+ -]{0,253}$/;
const source = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,1023}$/;

/** The id, when it is one that this program gives to its snapshots. */
export function snapshotId(kind: MoverKind, id: string): string {
  return checked(`a snapshot of ${kind}`, id, ids[kind].test(id));
}

/** The namespace, when it is one: it becomes a part of the repository's path. */
export function volumeNamespace(name: string): string {
  return checked("the namespace of a volume", name, label.test(name));
}

/** The path, when it is absolute: such a one is neither an option nor a repository of another kind. */
export function folderPath(path: string): string {
  return checked("a folder", path, isAbsolute(path) && !hasControl(path) && !climbs(path));
}

/** The place, when each part of it is what its name says. */
export function repositoryAt<P extends Place>(place: P): P {
  if (place.kind === "filesystem") folderPath(place.path);
  else s3Place(place);
  return place;
}

/** The tags as pairs, when both programs read back what was said. */
export function tagPairs(tags: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(tags).map(([key, value]) => [
    checked("a tag's name", key, tagKey.test(key)),
    checked(`the tag "${key}"`, value, tagValue.test(value)),
  ]);
}

/** What kopia files a snapshot under, when it is a path of plain names. */
export function snapshotSource(text: string): string {
  return checked("the source of a snapshot", text, source.test(text) && !climbs(text));
}

/** How many files at a time, as text. */
export function parallelFiles(count: number): string {
  return checked(
    "the number of parallel files",
    String(count),
    Number.isInteger(count) && count > 0 && count < 10_000,
  );
}

function s3Place({ bucket: name, prefix, region: at, endpoint }: S3Place): void {
  checked("a bucket", name, bucket.test(name));
  const parts = prefix === "" ? [] : prefix.split("/");
  const isPath = parts.every((part) => part !== "") && !climbs(prefix) && !hasControl(prefix);
  checked("a prefix in a bucket", prefix, isPath && prefix.length <= 1024);
  if (at !== undefined) checked("a region", at, region.test(at));
  if (endpoint !== undefined) checked("the address of S3", endpoint, isAddress(endpoint));
}

/** An address without a user, a query or a fragment: those would be parts of the repository's name. */
function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s?#@\\]+$/.test(text) || hasControl(text)) return false;
  return URL.canParse(text) && !climbs(text);
}

function climbs(path: string): boolean {
  return path.split("/").some((part) => part === "." || part === "..");
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function checked(what: string, found: string, isRight: boolean): string {
  if (isRight) return found;
  const shown = JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found);
  throw new AppError("MOVER_ARGUMENT", `${shown} cannot be ${what}`, { retry: false });
}
