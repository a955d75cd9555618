import { addressOf, badSetting, type CloudSpec, knownKeys } from "../cloud-config.ts";
import { type GcsCredentials, parseGcsCredentials } from "./credentials.ts";

/** A GCS location in the words of its store, checked. */
export interface GcsSettings {
  readonly bucket: string;
  /** Ends in "/"; objects are below `b/<bucket>/o`. */
  readonly api: URL;
  readonly upload: URL;
  /** Where signed addresses point. */
  readonly links: string;
  readonly universe: string;
  /** An emulator, which wants no token. */
  readonly isEmulator: boolean;
  readonly kmsKeyName?: string;
  /** Signs addresses where there is no private key. */
  readonly serviceAccount?: string;
  readonly credentials?: GcsCredentials;
  readonly caCert?: string;
}

/** The keys of upstream's gcp plugin; others are refused there too. */
const known = [
  "kmsKeyName",
  "serviceAccount",
  "credentialsFile",
  "storeEndpoint",
  "universeDomain",
  "bucket",
  "prefix",
];

/** Checks a spec and turns it into settings; every refusal names the key and the value. */
export function gcsSettings(spec: CloudSpec, env: NodeJS.ProcessEnv = process.env): GcsSettings {
  const { bucket, config, caCert, credentials } = spec;
  knownKeys("gcp", config, known);
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/.test(bucket)) {
    throw badSetting(`"${bucket}" cannot be the name of a bucket of Google Cloud Storage`);
  }
  const { kmsKeyName, serviceAccount, universeDomain: universe = "googleapis.com", storeEndpoint } = config;
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(universe)) {
    throw badSetting(`config key "universeDomain" must be a domain, not "${universe}"`);
  }
  const emulator = env["STORAGE_EMULATOR_HOST"] || undefined;
  const api = apiOf(storeEndpoint || undefined, emulator, universe);
  const isGoogle = api.hostname === universe || api.hostname.endsWith(`.${universe}`);
  return {
    bucket,
    api,
    upload: new URL(`/upload${api.pathname}`, api),
    // A private address of Google's is for this cluster; whoever downloads may be elsewhere.
    links: isGoogle ? `https://storage.${universe}` : api.origin,
    universe,
    isEmulator: emulator !== undefined,
    ...(kmsKeyName && { kmsKeyName }),
    ...(serviceAccount && { serviceAccount }),
    ...(credentials !== undefined && { credentials: parseGcsCredentials(credentials) }),
    ...(caCert !== undefined && { caCert }),
  };
}

/** Every client of Google's goes to the emulator that the environment names. */
function apiOf(endpoint: string | undefined, emulator: string | undefined, universe: string): URL {
  if (emulator !== undefined) {
    const address = /^https?:\/\//.test(emulator) ? emulator : `http://${emulator}`;
    return new URL("/storage/v1/", addressOf("STORAGE_EMULATOR_HOST", address));
  }
  if (endpoint === undefined) return new URL(`https://storage.${universe}/storage/v1/`);
  const url = addressOf("storeEndpoint", endpoint);
  return url.pathname === "/" ? new URL("/storage/v1/", url) : new URL(`${url.href.replace(/\/+$/, "")}/`);
}
