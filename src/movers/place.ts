import { volumeNamespace } from "./argument-check.ts";
import type { MoverKind, Place, S3Place } from "./mover.ts";

/** The password that upstream gives to repositories when nobody chose one. */
export const defaultPassword = "static-passw0rd";

/** The repository for the volumes of a namespace below a backup location, where upstream has it. */
export function repositoryPlace(location: Place, kind: MoverKind, namespace: string): Place {
  const below = `${kind}/${volumeNamespace(namespace)}`;
  if (location.kind === "filesystem")
    return { ...location, path: `${location.path.replace(/\/+$/, "")}/${below}` };
  const prefix = location.prefix.replace(/^\/+|\/+$/g, "");
  return { ...location, prefix: prefix === "" ? below : `${prefix}/${below}` };
}

/** What kopia files the snapshots of a volume under; the next one is compared with the last of the same source. */
export function volumeSource(namespace: string, pod: string, volume: string): string {
  return `snapshot-pod-volume/kopia/${namespace}/${pod}/${volume}`;
}

/** Where a repository is, for messages. */
export function placeText(place: Place): string {
  if (place.kind === "filesystem") return place.path;
  return `bucket "${place.bucket}" at ${place.endpoint ?? "S3"}, "${place.prefix}"`;
}

/** Variables that a mover needs of ours; the rest of our environment is none of its business. */
const passed = [
  "PATH",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
];

/** The environment of a mover: the little that it needs, and the keys of its place. */
export function environment(place: Place | undefined, ours: NodeJS.ProcessEnv): Record<string, string> {
  const wanted = place?.kind === "s3" && place.keys === undefined ? isAws : () => false;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && (passed.includes(name) || wanted(name))) env[name] = value;
  }
  return place?.kind === "s3" ? { ...env, ...keysOf(place) } : env;
}

function isAws(name: string): boolean {
  return name.startsWith("AWS_");
}

function keysOf({ keys, region }: S3Place): Record<string, string> {
  return {
    ...(region !== undefined && { AWS_REGION: region, AWS_DEFAULT_REGION: region }),
    ...(keys !== undefined && {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      ...(keys.sessionToken !== undefined && { AWS_SESSION_TOKEN: keys.sessionToken }),
    }),
  };
}
