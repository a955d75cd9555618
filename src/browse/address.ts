import { AppError } from "../errors.ts";

/** A volume of a backup: that of a pod, or a claim whose data was moved. */
export type VolumeName =
  | { readonly namespace: string; readonly pod: string; readonly volume: string }
  | { readonly namespace: string; readonly claim: string };

/** What a person wrote: a volume and a path in it. */
export interface Address {
  readonly volume: VolumeName;
  /** "/" or "/a/b". */
  readonly path: string;
}

/** Begins the second part of a claim's address; no pod can have it in its name. */
const claimMark = "pvc:";
const form = "NAMESPACE/POD/VOLUME[/PATH], or NAMESPACE/pvc:CLAIM[/PATH] for moved data";

/** A volume as it is written: `shop/web-0/data`, or `shop/pvc:data` for the moved data of a claim. */
export function addressText(name: VolumeName): string {
  return "claim" in name
    ? `${name.namespace}/${claimMark}${name.claim}`
    : `${name.namespace}/${name.pod}/${name.volume}`;
}

/** Reads `NAMESPACE/POD/VOLUME[/PATH]`. A slash at the end means nothing; `.` and `..` are refused, not resolved. */
export function parseAddress(text: string): Address {
  const [namespace = "", second = "", ...rest] = text.split("/");
  if (second.startsWith(claimMark)) {
    const claim = second.slice(claimMark.length);
    demandNames(text, namespace, claim);
    return { volume: { namespace, claim }, path: pathOf(text, rest) };
  }
  const [volume = "", ...below] = rest;
  demandNames(text, namespace, second, volume);
  return { volume: { namespace, pod: second, volume }, path: pathOf(text, below) };
}

const label = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

function demandNames(text: string, ...names: readonly string[]): void {
  if (names.every((name) => label.test(name))) return;
  throw wrong(`${quoted(text)} names no volume: write ${form}`);
}

function pathOf(text: string, parts: readonly string[]): string {
  const names = parts.at(-1) === "" ? parts.slice(0, -1) : parts;
  if (names.some((name) => name === "" || name === "." || name === "..")) {
    throw wrong(
      `${quoted(text)} has an empty name, "." or ".." in its path: write the names of folders, one after the other`,
    );
  }
  if (names.some((name) => name.includes("\0"))) throw wrong("a path cannot hold a NUL character");
  return `/${names.join("/")}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function wrong(message: string): AppError {
  return new AppError("USAGE", message, { retry: false });
}
