import { AppError } from "../errors.ts";

/** What describes a location in a cloud: the parts of a BackupStorageLocation, its secrets already read. */
export interface CloudSpec {
  readonly bucket: string;
  readonly config: Readonly<Record<string, string>>;
  /** PEM text, trusted besides the usual roots. */
  readonly caCert?: string;
  /** Content of the credentials file, in the form that the provider's plugin for Velero takes. */
  readonly credentials?: string;
}

/** Refuses config keys that upstream's plugin refuses, too, by name. */
export function knownKeys(provider: string, config: CloudSpec["config"], known: readonly string[]): void {
  const odd = Object.keys(config).find((key) => !known.includes(key));
  if (odd !== undefined) throw badSetting(`unknown config key "${odd}" of provider ${provider}`);
}

/** An http or https address without credentials in it. */
export function addressOf(key: string, value: string): URL {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw badSetting(`config key "${key}" must be an http or https address, not "${value}"`);
  }
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw badSetting(`config key "${key}" must be an address without credentials and query`);
  }
  return parsed;
}

/** A setting that nothing but another setting mends. */
export function badSetting(message: string): AppError {
  return new AppError("STORE_CONFIG", message, { retry: false });
}
