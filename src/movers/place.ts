import { volumeNamespace } from "./argument-check.ts";
import type { AzurePlace, Place, S3Place } from "./mover.ts";

/** The password that upstream gives to repositories when nobody chose one. */
export const defaultPassword = "static-passw0rd";

/** The repository for the volumes of a namespace below a backup location, where upstream has it. */
export function repositoryPlace(location: Place, kind: string, namespace: string): Place {
  const below = `${kind}/${volumeNamespace(namespace)}`;
  if (location.kind === "filesystem")
    return { ...location, path: `${location.path.replace(/\/+$/, "")}/${below}` };
  const prefix = location.prefix.replace(/^\/+|\/+$/g, "");
  return { ...location, prefix: prefix === "" ? below : `${prefix}/${below}` };
}

/** What the snapshots of a volume are filed under, to the letter of upstream; the next one is compared with the last of the same source. */
export function volumeSource(
  kind: string,
  { namespace, pod, volume }: { readonly namespace: string; readonly pod: string; readonly volume: string },
): string {
  return `snapshot-pod-volume/${kind}/${namespace}/${pod}/${volume}`;
}

/** What the snapshots of a claim's moved data are filed under, likewise. */
export function claimSource(
  kind: string,
  claim: { readonly namespace: string; readonly name: string },
): string {
  return `${movedData}/${kind}/${claim.namespace}/${claim.name}`;
}

/** Tags that mark the snapshots of moved data, as upstream sets them. */
export function movedTags(kind: string, operationId: string | undefined): Readonly<Record<string, string>> {
  return {
    "snapshot-requester": movedData,
    "snapshot-uploader": kind,
    ...(operationId !== undefined && { "velero.io/async-operation-id": operationId }),
  };
}

const movedData = "snapshot-data-upload-download";

/** Where a repository is, for messages. */
export function placeText(place: Place): string {
  switch (place.kind) {
    case "filesystem":
      return place.path;
    case "s3":
      return `bucket "${place.bucket}" at ${place.endpoint ?? "S3"}, "${place.prefix}"`;
    case "azure":
      return `container "${place.container}" at https://${place.account}.${place.domain}, "${place.prefix}"`;
    case "gcs":
      return `bucket "${place.bucket}" of Google Cloud Storage, "${place.prefix}"`;
  }
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

/** Where Google's clients find who they are when nobody tells them; and the emulator that all of them honour. */
const google = ["GOOGLE_APPLICATION_CREDENTIALS", "GCE_METADATA_HOST"];
const googleAlways = ["STORAGE_EMULATOR_HOST", "GOOGLE_CLOUD_UNIVERSE_DOMAIN"];

/** The environment of a mover: the little that it needs, and what every mover calls the same about its place. */
export function environment(place: Place | undefined, ours: NodeJS.ProcessEnv): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && (passed.includes(name) || isWanted(place, name))) env[name] = value;
  }
  if (place?.kind === "s3") return { ...env, ...keysOf(place) };
  if (place?.kind === "azure") return { ...env, ...identityOf(place) };
  if (place?.kind === "gcs" && place.universe !== undefined) {
    return { ...env, GOOGLE_CLOUD_UNIVERSE_DOMAIN: place.universe };
  }
  return env;
}

function isWanted(place: Place | undefined, name: string): boolean {
  if (place?.kind === "s3") return place.keys === undefined && name.startsWith("AWS_");
  if (place?.kind !== "gcs") return false;
  return googleAlways.includes(name) || (place.credentials === undefined && google.includes(name));
}

/** As Azure's own library names them; a certificate is a file for some and text for others. */
function identityOf({ access, login }: AzurePlace): Record<string, string> {
  const host = login === undefined ? {} : { AZURE_AUTHORITY_HOST: login };
  switch (access.by) {
    case "key":
      return {};
    case "managed":
      return { ...host, ...(access.client !== undefined && { AZURE_CLIENT_ID: access.client }) };
    case "secret":
    case "certificate":
    case "federated":
      return {
        ...host,
        AZURE_TENANT_ID: access.tenant,
        AZURE_CLIENT_ID: access.client,
        ...(access.by === "secret" && { AZURE_CLIENT_SECRET: access.secret }),
        ...(access.by === "federated" && { AZURE_FEDERATED_TOKEN_FILE: access.file }),
      };
  }
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
