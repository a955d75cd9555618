import { isAbsolute } from "node:path";
import { AppError } from "../errors.ts";
import type { AzurePlace, GcsPlace, Place, S3Place } from "./mover.ts";

// What a program is started with comes from objects and buckets that others may write. Each builder of arguments asks here
// first, so a word that could be an option, another repository or another folder never reaches a program.

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const bucket = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;
/** A bucket of Google's, or a container; without the colon, which ends its name in the words of a mover. */
const bucketName = /^[a-z0-9$][a-z0-9._-]{1,221}$/;
const region = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const tagKey = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
/** Without the comma: one of the movers takes it for the start of the next tag. */
const tagValue = /^[A-Za-z0-9._:/@+ -]{0,253}$/;
const source = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,1023}$/;

/** The id, when it is one that this program gives to its snapshots. */
export function snapshotId(kind: string, id: string, form: RegExp): string {
  return checked(`a snapshot of ${kind}`, id, form.test(id));
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
  else if (place.kind === "s3") s3Place(place);
  else if (place.kind === "azure") azurePlace(place);
  else gcsPlace(place);
  return place;
}

/** The tags as pairs, when every mover reads back what was said. */
export function tagPairs(tags: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(tags).map(([key, value]) => [
    checked("a tag's name", key, tagKey.test(key)),
    checked(`the tag "${key}"`, value, tagValue.test(value)),
  ]);
}

/** The only tag of a snapshot. */
export function snapshotTag(tag: string): string {
  return checked("the tag of a snapshot", tag, tagKey.test(tag));
}

/** A path inside a snapshot. */
export function innerPath(path: string): string {
  return checked("a path inside a snapshot", path, !hasControl(path) && !climbs(path));
}

/** How a snapshot is measured: one word. */
export function measureMode(mode: string): string {
  return checked("a way to measure a snapshot", mode, /^[a-z][a-z-]{0,31}$/.test(mode));
}

/** What a snapshot is filed under, when it is a path of plain names. */
export function snapshotSource(text: string): string {
  return checked("the source of a snapshot", text, source.test(text) && !climbs(text));
}

/** The path in a snapshot, when it begins at its top and leads nowhere but down. Names may hold whatever a file system takes. */
export function pathInSnapshot(path: string): string {
  const isPath =
    path === "/" ||
    (path.startsWith("/") &&
      path
        .slice(1)
        .split("/")
        .every((part) => part !== ""));
  const isRight = isPath && !climbs(path) && !path.includes("\0") && path.length <= maxPathChars;
  return checked("a path in a snapshot", path, isRight);
}

/** Linux takes 4,096 bytes in one call; deeper trees can be made, but no argument of a program may be longer than 128 KiB. */
const maxPathChars = 16_384;

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
  prefixIn(prefix);
  if (at !== undefined) checked("a region", at, region.test(at));
  if (endpoint !== undefined) checked("the address of S3", endpoint, isAddress(endpoint));
}

function azurePlace({ container, prefix, account, domain, login }: AzurePlace): void {
  checked("a container", container, bucketName.test(container));
  prefixIn(prefix);
  checked("a storage account", account, /^[a-z0-9]{3,24}$/.test(account));
  checked(
    "the domain of Azure's blobs",
    domain,
    /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?(:\d{1,5})?$/.test(domain),
  );
  if (login !== undefined) checked("the address of Azure's tokens", login, isAddress(login));
}

function gcsPlace({ bucket: name, prefix }: GcsPlace): void {
  checked("a bucket", name, bucketName.test(name));
  prefixIn(prefix);
}

function prefixIn(prefix: string): void {
  const parts = prefix === "" ? [] : prefix.split("/");
  const isPath = parts.every((part) => part !== "") && !climbs(prefix) && !hasControl(prefix);
  checked("a prefix in a bucket", prefix, isPath && prefix.length <= 1024);
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
